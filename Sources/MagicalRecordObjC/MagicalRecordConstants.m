#import <MagicalRecord/MagicalRecordConstants.h>

const double MagicalRecordVersionNumber = 2.4;

NSString *const kMagicalRecordDefaultStoreFileName = @"CoreDataStore.sqlite";

NSString *const kMagicalRecordCleanedUpNotification = @"kMagicalRecordCleanedUpNotification";
NSString *const kMagicalRecordDidMergeChangesFromiCloudNotification =
    @"kMagicalRecordDidMergeChangesFromiCloudNotification";
NSString *const kMagicalRecordPSCDidCompleteiCloudSetupNotification =
    @"kMagicalRecordPSCDidCompleteiCloudSetupNotification";
NSString *const kMagicalRecordPSCMismatchWillDeleteStore = @"kMagicalRecordPSCMismatchWillDeleteStore";
NSString *const kMagicalRecordPSCMismatchDidDeleteStore = @"kMagicalRecordPSCMismatchDidDeleteStore";
NSString *const kMagicalRecordPSCMismatchCouldNotDeleteStore = @"kMagicalRecordPSCMismatchCouldNotDeleteStore";
NSString *const kMagicalRecordPSCMismatchWillRecreateStore = @"kMagicalRecordPSCMismatchWillRecreateStore";
NSString *const kMagicalRecordPSCMismatchDidRecreateStore = @"kMagicalRecordPSCMismatchDidRecreateStore";
NSString *const kMagicalRecordPSCMismatchCouldNotRecreateStore = @"kMagicalRecordPSCMismatchCouldNotRecreateStore";

NSString *const kMagicalRecordImportCustomDateFormatKey = @"dateFormat";
NSString *const kMagicalRecordImportDefaultDateFormatString = @"yyyy-MM-dd'T'HH:mm:ssz";
NSString *const kMagicalRecordImportUnixTimeString = @"UnixTime";
NSString *const kMagicalRecordImportAttributeKeyMapKey = @"mappedKeyName";
NSString *const kMagicalRecordImportAttributeValueClassNameKey = @"attributeValueClassName";
NSString *const kMagicalRecordImportRelationshipMapKey = @"mappedKeyName";
NSString *const kMagicalRecordImportRelationshipLinkedByKey = @"relatedByAttribute";
NSString *const kMagicalRecordImportRelationshipTypeKey = @"type";
