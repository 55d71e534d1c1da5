#import "MagicalRecord+Private.h"

NSDate *MR_dateFromString(NSString *value, NSString *format)
{
    return [MagicalRecord MR_dateFromText:value pattern:format];
}

NSDate *MR_dateFromNumber(NSNumber *value, BOOL milliseconds)
{
    return [MagicalRecord MR_dateFromSeconds:value milliseconds:milliseconds];
}

NSDate *MR_adjustDateForDST(NSDate *date)
{
    return [MagicalRecord MR_dateWithDaylightSaving:date];
}

NSNumber *MR_numberFromString(NSString *value)
{
    return [MagicalRecord MR_numberFromText:value];
}

NSString *MR_attributeNameFromString(NSString *value)
{
    return [MagicalRecord MR_attributeNameFromText:value];
}

NSString *MR_primaryKeyNameFromString(NSString *value)
{
    return [MagicalRecord MR_primaryKeyNameFromText:value];
}

#if TARGET_OS_OSX
NSColor *MR_colorFromString(NSString *serializedColor)
#else
UIColor *MR_colorFromString(NSString *serializedColor)
#endif
{
    return [MagicalRecord MR_colorFromText:serializedColor];
}

NSInteger *MR_newColorComponentsFromString(NSString *serializedColor)
{
    return [MagicalRecord MR_colorComponentsFromText:serializedColor];
}
