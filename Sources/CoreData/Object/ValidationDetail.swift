import CoreDataRowStorage
import Foundation

/// The text that names an invalid property, its object, its value and the rule that the value breaks.
struct ValidationDetail: CustomStringConvertible {
    let code: Int
    let object: NSManagedObject
    let key: String
    let value: Any?
    let predicate: NSPredicate?

    var description: String { "\(object.layout.name).\(key) of \(object.uriText) \(fault)." }

    private var fault: String {
        if let predicate { return "is \(BriefValue.text(value)), \(Self.breach(of: predicate))" }
        switch code {
        case NSValidationMissingMandatoryPropertyError: return "is required, but nil"
        case NSValidationRelationshipLacksMinimumCountError:
            return "has \(count) of at least \(relationship?.minCount ?? 0) objects"
        case NSValidationRelationshipExceedsMaximumCountError:
            return "has \(count) of at most \(relationship?.maxCount ?? 0) objects"
        case NSValidationRelationshipDeniedDeleteError: return "still has \(BriefValue.text(value))"
        case NSValidationInvalidDateError: return "is not a date, but not a number (NaN)"
        case NSValidationInvalidURIError: return "is an empty URI"
        default: return "is \(BriefValue.text(value))"
        }
    }

    /// The remedy.
    var advice: String {
        switch code {
        case NSValidationMissingMandatoryPropertyError:
            "Set a value before saving, or make the property optional in the model."
        case NSValidationRelationshipLacksMinimumCountError, NSValidationRelationshipExceedsMaximumCountError:
            "Add or remove objects before saving, or change the limits in the model."
        case NSValidationRelationshipDeniedDeleteError:
            "Delete those objects too, or remove them from the relationship first; its delete rule is deny."
        default: "Set another value before saving, or change the rule in the model."
        }
    }

    private var relationship: NSRelationshipDescription? { object.entity.relationshipsByName[key] }

    private var count: Int { (value as? NSSet)?.count ?? (value as? NSOrderedSet)?.count ?? 0 }

    /// Returns the relation of an invalid value to the limit in a predicate, or else the predicate.
    private static func breach(of predicate: NSPredicate) -> String {
        let rule = "against the rule \(BriefValue.shortened(ModelText.format(predicate), to: 200))"
        guard let comparison = predicate as? NSComparisonPredicate,
            comparison.rightExpression.expressionType == .constantValue
        else { return rule }
        let subject = comparison.leftExpression
        let limit = comparison.rightExpression.constantValue
        switch (subject.expressionType == .keyPath ? subject.keyPath : "", comparison.predicateOperatorType) {
        case ("length", .lessThanOrEqualTo): return "longer than \(BriefValue.text(limit)) characters"
        case ("length", .greaterThanOrEqualTo): return "shorter than \(BriefValue.text(limit)) characters"
        case ("timeIntervalSinceReferenceDate", .lessThanOrEqualTo): return "later than \(date(limit))"
        case ("timeIntervalSinceReferenceDate", .greaterThanOrEqualTo): return "earlier than \(date(limit))"
        case (_, let relation) where subject.expressionType == .evaluatedObject:
            switch relation {
            case .lessThanOrEqualTo: return "more than \(BriefValue.text(limit))"
            case .greaterThanOrEqualTo: return "less than \(BriefValue.text(limit))"
            case .matches: return "not of the form \(BriefValue.text(limit))"
            default: return rule
            }
        default: return rule
        }
    }

    private static func date(_ seconds: Any?) -> String {
        BriefValue.text((seconds as? NSNumber).map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) })
    }
}
