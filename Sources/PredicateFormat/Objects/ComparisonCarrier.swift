import CoreDataRuntimeSupport
import Foundation

/// Objects of programs' own subclasses of `NSComparisonPredicate`.
///
/// Foundation off Apple marks the designated initialiser of that class unavailable, so a subclass can neither override nor
/// call it; it can call, and a `convenience` initialiser of it can delegate to, this module's
/// `init(leftExpression:rightExpression:modifier:type:options:)`. Then a predicate with a block is made and adopts the
/// subclass. The block evaluates the comparison, and returns it to ``storage(of:)``.
enum ComparisonCarrier {
    /// Evaluated in place of an object, makes a carrier store its comparison here.
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

    /// The comparison of a predicate that ``make(_:as:)`` has made; nil for others.
    static func storage(of predicate: NSPredicate) -> PredicateStorage? {
        let inquiry = Inquiry()
        // The method called is final, so nothing depends on what class the object really is.
        Unmanaged<OfUnchangedComparison.Named>.fromOpaque(Unmanaged.passUnretained(predicate).toOpaque())
            ._withUnsafeGuaranteedRef { $0.evaluateAsFoundation(inquiry) }
        return inquiry.storage
    }
}
