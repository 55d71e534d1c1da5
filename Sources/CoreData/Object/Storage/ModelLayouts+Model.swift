import Foundation
import Synchronization

extension NSManagedObjectModel {
    private static let layoutLock = Lock()

    /// The layouts of the model's entities, worked out on first use, which makes the model immutable.
    package var layouts: ModelLayouts {
        freeze()
        return Self.layoutLock.withLock {
            if let known = coordinatorStorage as? ModelLayouts { return known }
            let made = ModelLayouts(model: self)
            coordinatorStorage = made
            return made
        }
    }
}
