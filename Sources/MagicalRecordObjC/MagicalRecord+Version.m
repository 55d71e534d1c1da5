#import "MagicalRecord+Private.h"

// A category, since the method hides the one of NSObject, which returns another type.
@implementation MagicalRecord (MagicalRecordVersion)

+ (MagicalRecordVersionTag)version
{
    return (MagicalRecordVersionTag)[self MR_versionFollowed];
}

@end
