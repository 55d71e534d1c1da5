#import "Client.h"

static BOOL sameText(NSString *text, NSString *other)
{
    return [text isEqualToString:other];
}

static void checkFunctions(void)
{
    NSDate *day = MR_dateFromString(@"1970-01-02", @"yyyy-MM-dd");
    CHECK(day.timeIntervalSince1970 == 86400);
    CHECK(MR_dateFromString(@"nothing", @"yyyy-MM-dd") == nil);
    CHECK(MR_dateFromNumber(@86400, NO).timeIntervalSince1970 == 86400);
    CHECK(MR_dateFromNumber(@86400000, YES).timeIntervalSince1970 == 86400);
    CHECK(MR_adjustDateForDST([NSDate date]) != nil);
    CHECK(MR_numberFromString(@"12").integerValue == 12);
    CHECK(sameText(MR_attributeNameFromString(@"name"), @"Name"));
    CHECK(sameText(MR_primaryKeyNameFromString(@"User"), @"userID"));
    CHECK(MR_colorFromString(@"rgba(255,0,0,1)") != nil);
    CHECK(MR_colorFromString(@"red") == nil);
    NSInteger *components = MR_newColorComponentsFromString(@"rgba(255,128,0,1)");
    CHECK(components != NULL && components[0] == 255 && components[1] == 128 && components[3] == 1);
    free(components);
    CHECK(MR_newColorComponentsFromString(@"red") == NULL);
}

static void checkConstants(void)
{
    CHECK(sameText(kMagicalRecordCleanedUpNotification, @"kMagicalRecordCleanedUpNotification"));
    NSArray<NSString *> *notifications = @[
        kMagicalRecordDidMergeChangesFromiCloudNotification, kMagicalRecordPSCDidCompleteiCloudSetupNotification,
        kMagicalRecordPSCMismatchWillDeleteStore, kMagicalRecordPSCMismatchDidDeleteStore,
        kMagicalRecordPSCMismatchCouldNotDeleteStore, kMagicalRecordPSCMismatchWillRecreateStore,
        kMagicalRecordPSCMismatchDidRecreateStore, kMagicalRecordPSCMismatchCouldNotRecreateStore
    ];
    for (NSString *name in notifications) {
        CHECK([name hasPrefix:@"kMagicalRecord"]);
    }
    CHECK(sameText(kMagicalRecordDefaultStoreFileName, @"CoreDataStore.sqlite"));
    CHECK(sameText(kMagicalRecordImportCustomDateFormatKey, @"dateFormat"));
    CHECK(sameText(kMagicalRecordImportDefaultDateFormatString, @"yyyy-MM-dd'T'HH:mm:ssz"));
    CHECK(sameText(kMagicalRecordImportUnixTimeString, @"UnixTime"));
    CHECK(sameText(kMagicalRecordImportAttributeKeyMapKey, @"mappedKeyName"));
    CHECK(sameText(kMagicalRecordImportAttributeValueClassNameKey, @"attributeValueClassName"));
    CHECK(sameText(kMagicalRecordImportRelationshipMapKey, @"mappedKeyName"));
    CHECK(sameText(kMagicalRecordImportRelationshipLinkedByKey, @"relatedByAttribute"));
    CHECK(sameText(kMagicalRecordImportRelationshipTypeKey, @"type"));
}

static void checkEnumerations(void)
{
    MagicalRecordVersionTag tag = [MagicalRecord version];
    CHECK(tag >= MagicalRecordVersionTag2_3 && tag < MagicalRecordVersionTag3_0);
    CHECK(MagicalRecordVersionTag2_2 == 220 && MagicalRecordVersionNumber >= 2.4);
    CHECK(MRSaveOptionNone == 0 && MRSaveParentContexts == 2);
    CHECK(MRSaveSynchronously == 4 && MRSaveSynchronouslyExceptRootContext == 8);
    CHECK(MagicalRecordLoggingLevelOff == 0 && MagicalRecordLoggingLevelError == 1);
    CHECK(MagicalRecordLoggingLevelWarn == 3 && MagicalRecordLoggingLevelInfo == 7);
    CHECK(MagicalRecordLoggingLevelDebug == 15 && MagicalRecordLoggingLevelVerbose == 31);
    CHECK((MagicalRecordLoggingLevelAll & MagicalRecordLoggingLevelVerbose) == MagicalRecordLoggingLevelVerbose);
    CHECK(MagicalRecordLoggingMaskError == 1 && MagicalRecordLoggingMaskVerbose == 16);
}

void checkValues(void)
{
    checkFunctions();
    checkConstants();
    checkEnumerations();
}
