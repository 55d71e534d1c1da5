/// The retained arguments of a format. A single argument, the most frequent case, needs no array.
struct FormatArguments {
    private let only: Any?
    private let several: [Any?]
    private let isSingle: Bool

    init() {
        only = nil
        several = []
        isSingle = false
    }

    init(_ arguments: UnsafeBufferPointer<Any?>) {
        isSingle = arguments.count == 1
        only = isSingle ? arguments[0] : nil
        several = isSingle ? [] : Array(arguments)
    }

    init(_ arguments: [Any?]) {
        isSingle = false
        only = nil
        several = arguments
    }

    var count: Int { isSingle ? 1 : several.count }

    subscript(index: Int) -> Any? { isSingle ? only : several[index] }

    @inline(__always)
    func withUnsafeBufferPointer<Result>(_ body: (UnsafeBufferPointer<Any?>) throws -> Result) rethrows -> Result {
        if isSingle {
            return try withUnsafePointer(to: only) { try body(UnsafeBufferPointer(start: $0, count: 1)) }
        }
        return try several.withUnsafeBufferPointer(body)
    }
}
