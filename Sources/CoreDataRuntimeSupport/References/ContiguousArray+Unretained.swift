extension ContiguousArray where Element: AnyObject {
    /// Calls `body` with each element without retain/release: the array keeps all of them alive.
    ///
    /// Call it on a constant, because `body` must not change this array. Elements are read as `Unmanaged` references; if the
    /// sizes differ, elements are retained.
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
