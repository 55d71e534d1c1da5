import CCoreDataRuntime
import CoreDataRuntimeSupport
import Synchronization

/// A context's objects of an entity hierarchy in a store, by primary key, without retaining them.
///
/// Keys are dense in practice, so the table consists of pages. Only the context's queue looks objects up and adds them, but the
/// last reference to one may be released on any thread: its `deinit` removes it here, under the lock that a lookup takes,
/// before its memory is freed. A lookup that finds an object in `deinit` treats the slot as empty. An empty slot cannot be
/// changed by another thread, so checking for one needs no lock.
final class UniquingTable: @unchecked Sendable {
    fileprivate typealias Page = UnsafeMutablePointer<Atomic<UnsafeMutableRawPointer?>>

    private static let pageBits: Int64 = 8
    private static let pageSize = 1 << 8
    /// The largest key with a directly addressed page. Pages of larger keys, and of temporary ones, are found through a
    /// dictionary.
    private static let largestDirectKey: Int64 = 1 << 28

    private let lock = SpinLock()
    /// Raw pointers: instantiating a generic collection for the first time takes longer than a small fetch.
    @exclusivity(unchecked) private var pages = UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>(
        start: nil, count: 0)
    @exclusivity(unchecked) private var scatteredPages: [Int: UnsafeMutableRawPointer] = [:]
    @exclusivity(unchecked) private var lastScattered: (index: Int, page: Page)?
    @exclusivity(unchecked) private var pageCount = 0
    /// The position at which the sweep for empty pages continues.
    @exclusivity(unchecked) private var nextToSweep = 0

    deinit {
        for page in pages { page?.deallocate() }
        pages.deallocate()
        for page in scatteredPages.values { page.deallocate() }
    }

    /// Returns the live object of a row.
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

    /// Returns true if a row certainly has no object, without taking the lock.
    @inline(__always)
    func isVacant(_ key: Int64) -> Bool {
        Self.isDirect(key) && directPage(of: key)?[Self.slot(key)].load(ordering: .relaxed) == nil
    }

    /// The slot for a row's object.
    struct Place {
        fileprivate let slot: Page

        /// Stores a new object in the slot. Returns false if it is occupied.
        @inline(__always)
        func take(_ object: NSManagedObject) -> Bool {
            // An object in `deinit` may still be in the slot.
            guard slot.pointee.load(ordering: .relaxed) == nil else { return false }
            slot.pointee.store(Unmanaged.passUnretained(object).toOpaque(), ordering: .relaxed)
            return true
        }
    }

    /// Returns the slot for a row's object; nil if it may be occupied, or does not exist yet.
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

    /// Removes an object that is deallocated or leaves the context; another object may have replaced it already.
    func remove(_ object: NSManagedObject, key: Int64) {
        withLock { removeLocked(object, key: key) }
    }

    /// Removes an object within ``withLock(_:)``.
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

    /// Returns the live objects of several rows that satisfy a condition.
    ///
    /// - Parameters:
    ///   - heldOnce: Skips objects with more than one strong reference.
    ///   - isWanted: The condition. May be called for objects in `deinit`; must only read the object's fields.
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

    /// Returns true if an object has one strong reference. Called under the lock, where an object in `deinit` is still in
    /// memory; such an object has none.
    @inline(__always)
    private static func isHeldOnce(_ entry: UnsafeMutableRawPointer) -> Bool {
        var entry = entry
        return withUnsafeMutablePointer(to: &entry) {
            $0.withMemoryRebound(to: NSManagedObject.self, capacity: 1) { isKnownUniquelyReferenced(&$0.pointee) }
        }
    }

    /// Returns all live objects.
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

    /// The number of page slots examined for each page that is created.
    private static let sweepStep = 64
    /// The number of pages that are kept, 128 KB: otherwise objects found and released one by one would each allocate a page.
    private static let mostKept = 64

    /// Frees pages without objects, a few at a time, so that memory use does not grow with the number of objects that have
    /// existed. Runs on the context's queue, under the lock: no other thread uses a page meanwhile.
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
        // There are few pages of temporary keys, unless many unsaved objects are kept.
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
            // The capacity avoids growing, for which the runtime would search all conformances for the hashing of integers.
            if scatteredPages.isEmpty { scatteredPages = [Int: UnsafeMutableRawPointer](minimumCapacity: 6) }
            scatteredPages[index] = UnsafeMutableRawPointer(page)
            lastScattered = (index, page)
        }
        return page
    }
}
