import CCoreDataRuntime
import CoreDataRuntimeSupport
import Synchronization

/// One context's objects of one entity hierarchy in one store, by primary key, without keeping them alive.
///
/// Keys are dense in practice, so the table is made of pages. Only the queue of the context looks objects up and adds them,
/// but the last reference to one may be dropped on any thread: its `deinit` removes it here, under the same lock that a
/// look-up holds, before its memory goes; a look-up that meets an object already on its way out takes it for missing. Where
/// there is no object, nobody can be removing one, so that needs no lock.
final class UniquingTable: @unchecked Sendable {
    fileprivate typealias Page = UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>

    private static let pageBits: Int64 = 8
    private static let pageSize = 1 << 8
    /// Pages of keys above this, and of temporary keys, are found through a dictionary.
    private static let largestDirectKey: Int64 = 1 << 28

    private let lock = SpinLock()
    /// Plain pointers: making a collection of an unusual type for the first time takes longer than a small fetch.
    @exclusivity(unchecked) private var pages = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>(
        start: nil, count: 0)
    @exclusivity(unchecked) private var scatteredPages: [Int: UnsafeMutableRawPointer] = [:]
    @exclusivity(unchecked) private var lastScattered: (index: Int, page: Page)?
    @exclusivity(unchecked) private var pageCount = 0
    /// Where the search for pages without objects goes on.
    @exclusivity(unchecked) private var nextToSweep = 0

    deinit {
        for page in pages { page?.deallocate() }
        pages.deallocate()
        for page in scatteredPages.values { page.deallocate() }
    }

    /// The live object of a row.
    @inline(__always)
    func object(for key: Int64) -> NSManagedObject? {
        isVacant(key) ? nil : lockedObject(for: key)
    }

    @inline(never)
    private func lockedObject(for key: Int64) -> NSManagedObject? {
        lock.lock()
        defer { lock.unlock() }
        guard let entry = page(of: key)?[Self.slot(key)].load(ordering: .relaxed), let retained = swift_tryRetain(entry)
        else {
            return nil
        }
        return Unmanaged<NSManagedObject>.fromOpaque(retained).takeRetainedValue()
    }

    /// Whether a row has no object, where that is seen without a lock.
    @inline(__always)
    func isVacant(_ key: Int64) -> Bool {
        Self.isDirect(key) && directPage(of: key)?[Self.slot(key)].load(ordering: .relaxed) == nil
    }

    /// The place of a row's object.
    struct Place {
        fileprivate let slot: Page

        /// Gives a new object the place. False if another has it.
        @inline(__always)
        func take(_ object: NSManagedObject) -> Bool {
            // An object on its way out may still be here; then it must not be looking just now.
            guard slot.pointee.load(ordering: .relaxed) == nil else { return false }
            slot.pointee.store(Unmanaged.passUnretained(object).toOpaque(), ordering: .relaxed)
            return true
        }
    }

    /// The place for a row's object; nil if one may be there already, or if the place has yet to be made.
    @inline(__always)
    func vacantPlace(for key: Int64) -> Place? {
        guard Self.isDirect(key), let slot = directPage(of: key).map({ $0 + Self.slot(key) }),
            slot.pointee.load(ordering: .relaxed) == nil
        else { return nil }
        return Place(slot: slot)
    }

    func insert(_ object: NSManagedObject, key: Int64) {
        if vacantPlace(for: key)?.take(object) == true { return }
        let entry = Unmanaged.passUnretained(object).toOpaque()
        lock.lock()
        defer { lock.unlock() }
        let page = page(of: key) ?? makePage(for: key)
        page[Self.slot(key)].store(entry, ordering: .relaxed)
    }

    /// Called by an object that goes, or leaves the context; another object may have taken its place already.
    func remove(_ object: NSManagedObject, key: Int64) {
        withLock { removeLocked(object, key: key) }
    }

    /// The same within ``withLock(_:)``.
    @inline(__always)
    func removeLocked(_ object: NSManagedObject, key: Int64) {
        guard let slot = page(of: key).map({ $0 + Self.slot(key) }),
            slot.pointee.load(ordering: .relaxed) == Unmanaged.passUnretained(object).toOpaque()
        else { return }
        slot.pointee.store(nil, ordering: .relaxed)
    }

    @inline(__always)
    func withLock<Result>(_ body: () -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body()
    }

    /// The live objects of several rows, as far as they are wanted.
    ///
    /// - Parameters:
    ///   - heldOnce: leaves out those that are held more than once.
    ///   - isWanted: may be asked of objects on their way out. Must not do anything but read what the object holds itself.
    @inline(__always)
    func objects(
        for keys: ContiguousArray<Int64>, heldOnce: Bool, isWanted: (NSManagedObject) -> Bool
    ) -> ContiguousArray<NSManagedObject> {
        ContiguousArray(unsafeUninitializedCapacity: keys.count) { objects, count in
            lock.lock()
            defer { lock.unlock() }
            for key in keys {
                guard let entry = page(of: key)?[Self.slot(key)].load(ordering: .relaxed),
                    !heldOnce || Self.isHeldOnce(entry),
                    Unmanaged<NSManagedObject>.fromOpaque(entry)._withUnsafeGuaranteedRef(isWanted),
                    let retained = swift_tryRetain(entry)
                else { continue }
                (objects.baseAddress.unsafelyUnwrapped + count).initialize(
                    to: Unmanaged<NSManagedObject>.fromOpaque(retained).takeRetainedValue())
                count += 1
            }
        }
    }

    /// Under the lock, where an object on its way out is still in memory; it is held by nobody.
    @inline(__always)
    private static func isHeldOnce(_ entry: UnsafeMutableRawPointer) -> Bool {
        var entry = entry
        return withUnsafeMutablePointer(to: &entry) {
            $0.withMemoryRebound(to: NSManagedObject.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }

    /// All live objects.
    func allObjects() -> [NSManagedObject] {
        lock.lock()
        defer { lock.unlock() }
        var objects: [NSManagedObject] = []
        func add(_ entry: UnsafeMutableRawPointer?) {
            guard let entry, let retained = swift_tryRetain(entry) else { return }
            objects.append(Unmanaged<NSManagedObject>.fromOpaque(retained).takeRetainedValue())
        }
        func add(page: UnsafeMutableRawPointer) {
            let page = page.assumingMemoryBound(to: Page.Pointee.self)
            for index in 0..<Self.pageSize { add(page[index].load(ordering: .relaxed)) }
        }
        for page in pages { page.map(add(page:)) }
        for page in scatteredPages.values { add(page: page) }
        return objects
    }

    @inline(__always)
    private static func isDirect(_ key: Int64) -> Bool { key >= 0 && key <= largestDirectKey }

    @inline(__always)
    private static func slot(_ key: Int64) -> Int { Int(key & Int64(pageSize - 1)) }

    @inline(__always)
    private func directPage(of key: Int64) -> Page? {
        let index = Int(key >> Self.pageBits)
        return index < pages.count ? pages[index]?.assumingMemoryBound(to: Page.Pointee.self) : nil
    }

    @inline(__always)
    private func page(of key: Int64) -> Page? {
        if Self.isDirect(key) { return directPage(of: key) }
        let index = Int(key >> Self.pageBits)
        if let last = lastScattered, last.index == index { return last.page }
        guard let page = scatteredPages[index]?.assumingMemoryBound(to: Page.Pointee.self) else { return nil }
        lastScattered = (index, page)
        return page
    }

    private func makeRoom(for count: Int) {
        let more = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>.allocate(
            capacity: max(count, pages.count * 2, 8))
        more.initialize(repeating: nil)
        for index in pages.indices { more[index] = pages[index] }
        pages.deallocate()
        pages = more
    }

    /// Places for pages looked at for each page that is made.
    private static let sweepStep = 64
    /// So many pages stay, 128 KB: where objects are found one by one and go again, each would have its page made.
    private static let mostKept = 64

    /// Gives back pages whose objects have all gone, a few at a time, so that objects that come and go take no more memory the
    /// more there have been. On the context's queue, under the lock: no other thread uses a page meanwhile.
    private func sweep() {
        guard pageCount >= Self.mostKept else { return }
        for _ in 0..<min(Self.sweepStep, pages.count) {
            if nextToSweep >= pages.count { nextToSweep = 0 }
            defer { nextToSweep += 1 }
            guard let page = pages[nextToSweep], Self.isEmpty(page) else { continue }
            pages[nextToSweep] = nil
            page.deallocate()
            pageCount -= 1
        }
        // The pages of temporary keys are few, unless many unsaved objects are kept.
        for (index, page) in scatteredPages.prefix(Self.sweepStep) where Self.isEmpty(page) {
            scatteredPages[index] = nil
            page.deallocate()
            pageCount -= 1
        }
        lastScattered = nil
    }

    private static func isEmpty(_ page: UnsafeMutableRawPointer) -> Bool {
        let page = page.assumingMemoryBound(to: Page.Pointee.self)
        return (0..<pageSize).allSatisfy { page[$0].load(ordering: .relaxed) == nil }
    }

    private func makePage(for key: Int64) -> Page {
        sweep()
        pageCount += 1
        let page = Page.allocate(capacity: Self.pageSize)
        for index in 0..<Self.pageSize { (page + index).initialize(to: Atomic(nil)) }
        let index = Int(key >> Self.pageBits)
        if Self.isDirect(key) {
            if index >= pages.count { makeRoom(for: index + 1) }
            pages[index] = UnsafeMutableRawPointer(page)
        } else {
            // With room: to let it grow, the runtime searches the whole program for how integers are hashed.
            if scatteredPages.isEmpty { scatteredPages = [Int: UnsafeMutableRawPointer](minimumCapacity: 6) }
            scatteredPages[index] = UnsafeMutableRawPointer(page)
            lastScattered = (index, page)
        }
        return page
    }
}
