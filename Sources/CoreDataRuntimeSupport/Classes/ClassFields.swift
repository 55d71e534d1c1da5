/// Reads the stored properties of objects that have a custom mirror, as `Mirror` reads those of others.
package enum ClassFields {
    /// Returns the values of the stored properties that subclasses of `base` declare.
    package static func values(of object: AnyObject, below base: AnyClass) -> [Any] {
        var values: [Any] = []
        var next: AnyClass? = type(of: object)
        while let current = next, current != base {
            for index in 0..<fieldCount(object as Any, current) {
                var name: UnsafePointer<CChar>?
                var free: NameDeallocator?
                defer { free?(name) }
                values.append(field(of: object as Any, current, index, &name, &free))
            }
            next = _getSuperclass(current)
        }
        return values
    }
}

private typealias NameDeallocator = @convention(c) (UnsafePointer<CChar>?) -> Void

@_silgen_name("swift_reflectionMirror_count")
private func fieldCount<Subject>(_ subject: Subject, _ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_subscript")
private func field<Subject>(
    of subject: Subject, _ type: Any.Type, _ index: Int, _ name: UnsafeMutablePointer<UnsafePointer<CChar>?>,
    _ deallocator: UnsafeMutablePointer<NameDeallocator?>
) -> Any
