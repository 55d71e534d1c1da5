import Foundation

// The original's constants: keys of imports in a model's userInfo, and the names of notifications.

/// `dateFormat` in an attribute's userInfo: the pattern of its dates, or ``kMagicalRecordImportUnixTimeString``.
public let kMagicalRecordImportCustomDateFormatKey = ImportKey.dateFormat
/// The date pattern of attributes without `dateFormat`.
public let kMagicalRecordImportDefaultDateFormatString = ImportKey.defaultDateFormat
/// The value of `dateFormat` for numbers that are milliseconds since 1970.
public let kMagicalRecordImportUnixTimeString = ImportKey.unixTime
/// `mappedKeyName` in an attribute's userInfo: the key path of its value; `mappedKeyName.1` to `.9` are tried next.
public let kMagicalRecordImportAttributeKeyMapKey = ImportKey.keyPath
/// `attributeValueClassName` in an attribute's userInfo: a name ending in `Color` converts values to colors, any other disables
/// conversion.
public let kMagicalRecordImportAttributeValueClassNameKey = ImportKey.valueClassName
/// `mappedKeyName` in a relationship's userInfo: the key path of its data; `mappedKeyName.1` to `.9` are tried next.
public let kMagicalRecordImportRelationshipMapKey = ImportKey.keyPath
/// `relatedByAttribute` in the userInfo of an entity or relationship: the attribute that identifies objects.
public let kMagicalRecordImportRelationshipLinkedByKey = ImportKey.identifyingAttribute
/// `type`; not used.
public let kMagicalRecordImportRelationshipTypeKey = "type"
/// `useDefaultValueWhenNotPresent` in an attribute's userInfo: sets the model's default if a record has no value.
public let kMagicalRecordImportAttributeUseDefaultValueWhenNotPresent = ImportKey.usesDefaultValue
/// The number of the last fallback key plus one.
public let kMagicalRecordImportMaximumAttributeFailoverDepth = ImportKey.keyPathLimit

/// Posted before a store that does not match the model is deleted.
public let kMagicalRecordPSCMismatchWillDeleteStore = "kMagicalRecordPSCMismatchWillDeleteStore"
/// Posted after it has been deleted.
public let kMagicalRecordPSCMismatchDidDeleteStore = "kMagicalRecordPSCMismatchDidDeleteStore"
/// Posted if it could not be deleted; `userInfo["Error"]` is the error.
public let kMagicalRecordPSCMismatchCouldNotDeleteStore = "kMagicalRecordPSCMismatchCouldNotDeleteStore"
/// Posted before the second attempt to open the store.
public let kMagicalRecordPSCMismatchWillRecreateStore = "kMagicalRecordPSCMismatchWillRecreateStore"
/// Posted if the second attempt succeeded.
public let kMagicalRecordPSCMismatchDidRecreateStore = "kMagicalRecordPSCMismatchDidRecreateStore"
/// Posted if the second attempt failed; `userInfo["Error"]` is the error.
public let kMagicalRecordPSCMismatchCouldNotRecreateStore = "kMagicalRecordPSCMismatchCouldNotRecreateStore"
