extension ContiguousArray where Element: AnyObject {
    /// Calls `body` with each element without counting references to it: the array keeps them all.
    ///
    /// Call it on a constant: what `body` does must not change this very array. An element lies there as the address of its
    /// object, which is all an `Unmanaged` is; where sizes differ, references are counted.
    @inlinable @inline(__always)
    package func forEachUnretained(_ body: (Element) throws -> Void) rethrows {
        guard MemoryLayout<Unmanaged<Element>>.size == MemoryLayout<Element>.size, MemoryAssumption.allowsShortcuts
        else {
            return try forEach(body)
        }
        try withUnsafeBytes { bytes in
            for reference in bytes.bindMemory(to: Unmanaged<Element>.self) {
                try reference._withUnsafeGuaranteedRef { try body($0) }
            }
        }
    }
}
