import CoreDataRuntimeSupport
import Foundation

/// Objects of application subclasses of `NSComparisonPredicate`.
///
/// Off Apple's platforms Foundation marks the designated initializer of that class unavailable, so a subclass can neither
/// override nor call it. A `convenience` initializer of the subclass can delegate to this module's
/// `init(leftExpression:rightExpression:modifier:type:options:)`, which creates a predicate with a block and changes its class
/// to the subclass. The block evaluates the comparison, and passes it to ``storage(of:)``.
enum ComparisonCarrier {
    /// Evaluated in place of an object; the block stores its comparison here.
    private final class Inquiry {
        var storage: PredicateStorage?
    }

    static func make<P: NSPredicate>(_ storage: PredicateStorage, as type: P.Type) -> P? {
        guard type is NSComparisonPredicate.Type else { return nil }
        guard ClassAdoption.haveSameStorage(NSComparisonPredicate.self, type) else {
            fatalError(
                """
                \(type) has stored properties, which cannot be initialised off Apple. Keep its values elsewhere, or use \
                an NSComparisonPredicate as a property of a class of your own.
                """)
        }
        _ = FoundationRepair.isInstalled
        FoundationRepair.repairComparison(type)
        let predicate = NSPredicate { object, bindings in
            if let inquiry = object as? Inquiry {
                inquiry.storage = storage
                return false
            }
            return storage.evaluate(with: object, bindings: bindings)
        }
        ClassAdoption.adopt(predicate, into: type)
        return unsafeDowncast(predicate as AnyObject, to: type)
    }

    /// Returns the comparison of a predicate created by ``make(_:as:)``; nil for others.
    static func storage(of predicate: NSPredicate) -> PredicateStorage? {
        let inquiry = Inquiry()
        // The method is final, so the call does not depend on the object's actual class.
        Unmanaged<OfUnchangedComparison.Named>.fromOpaque(Unmanaged.passUnretained(predicate).toOpaque())
            ._withUnsafeGuaranteedRef { $0.evaluateAsFoundation(inquiry) }
        return inquiry.storage
    }
}
