// The functions of the data import.

#pragma once

#import <MagicalRecord/MagicalRecordTypes.h>
#import <TargetConditionals.h>

#if TARGET_OS_OSX
@class NSColor;
#else
@class UIColor;
#endif

NS_ASSUME_NONNULL_BEGIN

/// The date a text means in a pattern, read as GMT; nil when it does not fit.
FOUNDATION_EXPORT NSDate *_Nullable MR_dateFromString(NSString *value, NSString *format) MR_SWIFT_HAS_IT;

/// The date so many seconds, or milliseconds, after 1970.
FOUNDATION_EXPORT NSDate *MR_dateFromNumber(NSNumber *value, BOOL milliseconds) MR_SWIFT_HAS_IT;

/// The date with the local zone's daylight-saving offset added.
FOUNDATION_EXPORT NSDate *MR_adjustDateForDST(NSDate *date) MR_SWIFT_HAS_IT;

/// The number at the beginning of a text; 0 when there is none.
FOUNDATION_EXPORT NSNumber *MR_numberFromString(NSString *value) MR_SWIFT_HAS_IT;

/// The text with its first letter in upper case.
FOUNDATION_EXPORT NSString *MR_attributeNameFromString(NSString *value) MR_SWIFT_HAS_IT;

/// The text with its first letter in lower case, and `ID` behind it.
FOUNDATION_EXPORT NSString *MR_primaryKeyNameFromString(NSString *value) MR_SWIFT_HAS_IT;

/// The colour a text `rgba(red,green,blue,alpha)` means; nil for any other text.
#if TARGET_OS_OSX
FOUNDATION_EXPORT NSColor *_Nullable MR_colorFromString(NSString *serializedColor) MR_SWIFT_HAS_IT;
#else
FOUNDATION_EXPORT UIColor *_Nullable MR_colorFromString(NSString *serializedColor) MR_SWIFT_HAS_IT;
#endif

/// The four numbers of a colour text, to be freed by the caller with `free`; NULL for any other text.
FOUNDATION_EXPORT NSInteger *_Nullable MR_newColorComponentsFromString(NSString *serializedColor) MR_SWIFT_HAS_IT;

NS_ASSUME_NONNULL_END
