#if canImport(ObjectiveC)
import CoreData

// Objective-C selectors for functions that Swift calls by other names.

extension NSObject {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_lookupKeyForAttribute:)
    public func objc_MR_lookupKeyForAttribute(_ property: NSAttributeDescription) -> String? {
        mr_lookupKey(forAttribute: property)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_valueForAttribute:)
    public func objc_MR_valueForAttribute(_ property: NSAttributeDescription) -> Any? {
        mr_value(forAttribute: property)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_lookupKeyForRelationship:)
    public func objc_MR_lookupKeyForRelationship(_ property: NSRelationshipDescription) -> String? {
        mr_lookupKey(forRelationship: property)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_relatedValueForRelationship:)
    public func objc_MR_relatedValueForRelationship(_ property: NSRelationshipDescription) -> Any? {
        mr_relatedValue(forRelationship: property)
    }
}

#endif
