import CoreDataRuntimeSupport
import Synchronization

/// The names of files in a slab, linked from the last one added to the first, for ``NamedFiles``.
final class SlabFileNames: @unchecked Sendable {
    private let lastAddress = Atomic<UInt>(0)
    /// The folders of the names. Used only by the thread that adds names.
    @exclusivity(unchecked) private var folders: ContiguousArray<ValueFolder> = []

    init() { NamedFiles.add(self) }

    /// Unregisters the names. Call it before the slab's memory is freed.
    func end() { NamedFiles.remove(self) }

    var lastRecord: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: lastAddress.load(ordering: .acquiring)) }

    /// Publishes a name that is complete, including its link to ``lastRecord``.
    func add(_ record: UnsafeRawPointer) { lastAddress.store(UInt(bitPattern: record), ordering: .releasing) }

    /// Retains a folder as long as the slab.
    func keep(_ folder: ValueFolder) {
        if folders.last !== folder, !folders.contains(where: { $0 === folder }) { folders.append(folder) }
    }
}

/// The files that rows in memory refer to, of all stores of the process: they may still be read.
///
/// A name enters memory only from a row of the database, or from another place in memory that has it. A slab is removed under
/// the lock that a search holds, so a name that is concurrently copied from one slab to another is found in one of them.
package enum NamedFiles {
    private static let slabs = Locked<[ObjectIdentifier: Unmanaged<SlabFileNames>]>([:])

    fileprivate static func add(_ names: SlabFileNames) {
        slabs.withLock { $0[ObjectIdentifier(names)] = Unmanaged.passUnretained(names) }
    }

    fileprivate static func remove(_ names: SlabFileNames) {
        slabs.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(names)) }
    }

    /// Returns the names among `names` that rows in memory refer to.
    ///
    /// - Parameter folder: a folder with values that are not read any more.
    package static func held(among names: Set<String>, except folder: ValueFolder? = nil) -> Set<String> {
        guard !names.isEmpty else { return [] }
        return slabs.withLock { slabs in
            var held: Set<String> = []
            for slab in slabs.values {
                slab._withUnsafeGuaranteedRef { $0.forEach(among: names, except: folder) { held.insert($0) } }
            }
            return held
        }
    }
}
