// The name of the way in before version 2.3: #import "CoreData+MagicalRecord.h"

#import <MagicalRecord/MagicalRecord.h>
