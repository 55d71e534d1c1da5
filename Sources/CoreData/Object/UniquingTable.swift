/// One context's objects of one entity hierarchy in one store, by primary key, without keeping them alive.
///
/// Keys are dense in practice, so the table is made of pages. The last reference to an object may be dropped on any
/// thread: its `deinit` removes it here, under the same lock that a look-up holds, before its memory goes; a look-up that
/// meets an object already on its way out takes it for missing.
final class UniquingTable: @unchecked Sendable {
    private typealias Page = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    private static let pageBits: Int64 = 10
    private static let pageSize = 1 << 10
    /// Pages of keys above this, and of temporary keys, are found through a dictionary.
    private static let largestDirectKey: Int64 = 1 << 28

    private let lock = Lock()
    @exclusivity(unchecked) private var pages: ContiguousArray<Page?> = []
    @exclusivity(unchecked) private var scatteredPages: [Int64: Page] = [:]
    @exclusivity(unchecked) private var lastScattered: (index: Int64, page: Page)?
    @exclusivity(unchecked) private(set) var count = 0

    deinit {
        for page in pages { page?.deallocate() }
        for page in scatteredPages.values { page.deallocate() }
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
        for page in pages.compactMap({ $0 }) + scatteredPages.values {
            for index in 0..<Self.pageSize { add(page[index]) }
        }
        return objects
    }

    @inline(__always)
    private func entry(_ key: Int64) -> UnsafeMutableRawPointer? {
        page(of: key)?[Int(key & Int64(Self.pageSize - 1))]
    }

    @inline(__always)
    private func page(of key: Int64) -> Page? {
        let index = key >> Self.pageBits
        if key >= 0, key <= Self.largestDirectKey { return index < pages.count ? pages[Int(index)] : nil }
        if let last = lastScattered, last.index == index { return last.page }
        guard let page = scatteredPages[index] else { return nil }
        lastScattered = (index, page)
        return page
    }

    /// Returns what was there.
    private func setEntry(_ key: Int64, _ entry: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let page = page(of: key) ?? makePage(for: key)
        let slot = Int(key & Int64(Self.pageSize - 1))
        let old = page[slot]
        page[slot] = entry
        return old
    }

    private func makePage(for key: Int64) -> Page {
        let page = Page.allocate(capacity: Self.pageSize)
        page.initialize(repeating: nil, count: Self.pageSize)
        let index = key >> Self.pageBits
        if key >= 0, key <= Self.largestDirectKey {
            if index >= pages.count {
                pages.append(contentsOf: repeatElement(nil, count: Int(index) + 1 - pages.count))
            }
            pages[Int(index)] = page
        } else {
            scatteredPages[index] = page
            lastScattered = (index, page)
        }
        return page
    }
}
