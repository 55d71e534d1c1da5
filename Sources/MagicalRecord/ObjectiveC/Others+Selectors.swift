#if canImport(ObjectiveC)
import CoreData

// The names by which Objective-C knows these functions; Swift sees the ones they call.

extension NSPersistentStore {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_defaultPersistentStore)
    public class func objc_MR_defaultPersistentStore() -> NSPersistentStore? { mr_default() }

    @available(swift, obsoleted: 1.0)
    @objc(MR_setDefaultPersistentStore:)
    public class func objc_MR_setDefaultPersistentStore(_ store: NSPersistentStore?) {
        mr_setDefaultPersistentStore(store)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_defaultLocalStoreUrl)
    public class func objc_MR_defaultLocalStoreUrl() -> URL { mr_defaultLocalStoreUrl() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_urlForStoreName:)
    public class func objc_MR_urlForStoreName(_ name: String) -> URL? { mr_url(forStoreName: name) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_cloudURLForUbiquitousContainer:)
    public class func objc_MR_cloudURLForUbiquitousContainer(_ name: String) -> URL? {
        mr_cloudURL(forUbiquitousContainer: name)
    }
}

extension NSManagedObjectModel {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_defaultManagedObjectModel)
    public class func objc_MR_defaultManagedObjectModel() -> NSManagedObjectModel? { mr_default() }

    @available(swift, obsoleted: 1.0)
    @objc(MR_setDefaultManagedObjectModel:)
    public class func objc_MR_setDefaultManagedObjectModel(_ model: NSManagedObjectModel?) {
        mr_setDefaultManagedObjectModel(model)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_mergedObjectModelFromMainBundle)
    public class func objc_MR_mergedObjectModelFromMainBundle() -> NSManagedObjectModel? {
        mr_mergedObjectModelFromMainBundle()
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_newManagedObjectModelNamed:)
    public class func objc_MR_newManagedObjectModelNamed(_ name: String) -> NSManagedObjectModel? {
        mr_newManagedObjectModelNamed(name)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_managedObjectModelNamed:)
    public class func objc_MR_managedObjectModelNamed(_ name: String) -> NSManagedObjectModel? {
        mr_managedObjectModelNamed(name)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_newModelNamed:inBundleNamed:)
    public class func objc_MR_newModelNamed_inBundleNamed(_ name: String, inBundleNamed bundle: String)
        -> NSManagedObjectModel?
    { mr_newModelNamed(name, inBundleNamed: bundle) }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_newModelNamed:inBundle:)
    public class func objc_MR_newModelNamed_inBundle(_ name: String, in bundle: Bundle) -> NSManagedObjectModel? {
        mr_newModelNamed(name, in: bundle)
    }
}

extension NSAttributeDescription {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_primaryKey)
    public func objc_MR_primaryKey() -> String? { mr_primaryKey() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_valueForKeyPath:fromObjectData:)
    public func objc_MR_valueForKeyPath_fromObjectData(_ path: String, fromObjectData data: Any) -> Any? {
        mr_value(forKeyPath: path, fromObjectData: data)
    }
}

extension NSRelationshipDescription {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_primaryKey)
    public func objc_MR_primaryKey() -> String { mr_primaryKey() }
}

extension NSEntityDescription {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_primaryAttributeToRelateBy)
    public func objc_MR_primaryAttributeToRelateBy() -> NSAttributeDescription? { mr_primaryAttributeToRelateBy() }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_createInstanceInContext:)
    public func objc_MR_createInstanceInContext(_ context: NSManagedObjectContext) -> NSManagedObject {
        mr_createInstance(in: context)
    }

    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_attributeDescriptionForName:)
    public func objc_MR_attributeDescriptionForName(_ name: String) -> NSAttributeDescription? {
        mr_attributeDescription(forName: name)
    }
}

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

extension NSString {
    @available(swift, obsoleted: 1.0)
    @discardableResult
    @objc(MR_capitalizedFirstCharacterString)
    public func objc_MR_capitalizedFirstCharacterString() -> String { mr_capitalizedFirstCharacter() }
}
#endif
