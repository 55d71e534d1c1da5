extension ContiguousArray where Element: AnyObject {
    /// Calls `body` with each element without counting references to it: the array keeps them all.
    ///
    /// Call it on a constant: what `body` does must not change this very array.
    @inline(__always)
    func forEachUnretained(_ body: (Element) throws -> Void) rethrows {
        try withUnsafeBytes { bytes in
            for reference in bytes.bindMemory(to: Unmanaged<Element>.self) {
                try reference._withUnsafeGuaranteedRef { try body($0) }
            }
        }
    }
}
