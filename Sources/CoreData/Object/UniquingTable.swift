/// One context's objects of one entity hierarchy in one store, by primary key, without keeping them alive.
///
/// Keys are dense in practice, so the table is an array of pages. The last reference to an object may be dropped on any
/// thread: its `deinit` removes it here, under the same lock that a look-up holds, before its memory goes; a look-up that
/// meets an object already on its way out takes it for missing.
final class UniquingTable: @unchecked Sendable {
    private typealias Page = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    private static let pageBits: Int64 = 10
    private static let pageSize = 1 << 10
    /// Keys above this are too scattered for pages.
    private static let largestPagedKey: Int64 = 1 << 28

    private let lock = Lock()
    private var pages: ContiguousArray<Page?> = []
    private var sparse: [Int64: UnsafeMutableRawPointer] = [:]
    private(set) var count = 0

    deinit {
        for page in pages { page?.deallocate() }
    }

    /// The live object of a row.
    @inline(__always)
    func object(for key: Int64) -> NSManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        guard let entry = entry(key), let retained = tryRetain(entry) else { return nil }
        return Unmanaged<NSManagedObject>.fromOpaque(retained).takeRetainedValue()
    }

    func insert(_ object: NSManagedObject, key: Int64) {
        lock.lock()
        defer { lock.unlock() }
        if setEntry(key, Unmanaged.passUnretained(object).toOpaque()) == nil { count += 1 }
    }

    /// Called by an object that goes, or leaves the context; another object may have taken its place already.
    func remove(_ object: NSManagedObject, key: Int64) {
        lock.lock()
        defer { lock.unlock() }
        guard entry(key) == Unmanaged.passUnretained(object).toOpaque() else { return }
        _ = setEntry(key, nil)
        count -= 1
    }

    /// All live objects.
    func allObjects() -> [NSManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        var objects: [NSManagedObject] = []
        func add(_ entry: UnsafeMutableRawPointer?) {
            guard let entry, let retained = tryRetain(entry) else { return }
            objects.append(Unmanaged<NSManagedObject>.fromOpaque(retained).takeRetainedValue())
        }
        for page in pages {
            guard let page else { continue }
            for index in 0..<Self.pageSize { add(page[index]) }
        }
        sparse.values.forEach(add)
        return objects
    }

    @inline(__always)
    private func entry(_ key: Int64) -> UnsafeMutableRawPointer? {
        guard key >= 0, key <= Self.largestPagedKey else { return sparse[key] }
        let index = Int(key >> Self.pageBits)
        guard index < pages.count, let page = pages[index] else { return nil }
        return page[Int(key) & (Self.pageSize - 1)]
    }

    /// Returns what was there.
    private func setEntry(_ key: Int64, _ entry: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard key >= 0, key <= Self.largestPagedKey else {
            let old = sparse[key]
            sparse[key] = entry
            return old
        }
        let index = Int(key >> Self.pageBits)
        if index >= pages.count { pages.append(contentsOf: repeatElement(nil, count: index + 1 - pages.count)) }
        let page: Page
        if let existing = pages[index] {
            page = existing
        } else {
            page = .allocate(capacity: Self.pageSize)
            page.initialize(repeating: nil, count: Self.pageSize)
            pages[index] = page
        }
        let slot = Int(key) & (Self.pageSize - 1)
        let old = page[slot]
        page[slot] = entry
        return old
    }
}

/// A strong reference to an object, unless its last one is gone already. The memory must still be there.
@_silgen_name("swift_tryRetain")
private func tryRetain(_ object: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
