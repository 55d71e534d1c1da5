// The original's constants. The values are those Swift code sees under the same names.

#pragma once

#import <MagicalRecord/MagicalRecordTypes.h>

NS_ASSUME_NONNULL_BEGIN

/// The version of the original whose behaviour is followed.
FOUNDATION_EXPORT const double MagicalRecordVersionNumber MR_SWIFT_HAS_IT;

/// The file name of a store without a name of its own.
FOUNDATION_EXPORT NSString *const kMagicalRecordDefaultStoreFileName MR_SWIFT_HAS_IT;

// MARK: Notifications

FOUNDATION_EXPORT NSString *const kMagicalRecordCleanedUpNotification MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordDidMergeChangesFromiCloudNotification MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordPSCDidCompleteiCloudSetupNotification MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordPSCMismatchWillDeleteStore MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordPSCMismatchDidDeleteStore MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordPSCMismatchCouldNotDeleteStore MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordPSCMismatchWillRecreateStore MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordPSCMismatchDidRecreateStore MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordPSCMismatchCouldNotRecreateStore MR_SWIFT_HAS_IT;

// MARK: Import: keys of the model's user info, and values

FOUNDATION_EXPORT NSString *const kMagicalRecordImportCustomDateFormatKey MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordImportDefaultDateFormatString MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordImportUnixTimeString MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordImportAttributeKeyMapKey MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordImportAttributeValueClassNameKey MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordImportRelationshipMapKey MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordImportRelationshipLinkedByKey MR_SWIFT_HAS_IT;
FOUNDATION_EXPORT NSString *const kMagicalRecordImportRelationshipTypeKey MR_SWIFT_HAS_IT;

NS_ASSUME_NONNULL_END
