import CoreDataRowStorage
import CoreDataRuntimeSupport
import Synchronization

extension NSManagedObjectModel {
    /// The layouts of the model's entities, computed on first access, which makes the model immutable.
    package var layouts: ModelLayouts {
        if let known = layoutsCell.known { return known }
        freeze()
        return layoutsCell.make { LayoutBuilder(self).layouts() }
    }
}

/// The storage for a model's layouts. Reading it takes no lock, because every fetch does.
final class LayoutsCell: @unchecked Sendable {
    private let pointer = Atomic<UnsafeRawPointer?>(nil)
    private static let lock = Lock()

    @inline(__always)
    var known: ModelLayouts? {
        pointer.load(ordering: .acquiring).map { Unmanaged<ModelLayouts>.fromOpaque($0).takeUnretainedValue() }
    }

    @inline(never)
    func make(_ make: () -> ModelLayouts) -> ModelLayouts {
        Self.lock.withLock {
            if let known { return known }
            let made = make()
            pointer.store(UnsafeRawPointer(Unmanaged.passRetained(made).toOpaque()), ordering: .releasing)
            return made
        }
    }

    deinit {
        if let pointer = pointer.load(ordering: .acquiring) { Unmanaged<ModelLayouts>.fromOpaque(pointer).release() }
    }
}
