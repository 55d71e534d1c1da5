// One of the original's headers; everything comes with the main one.

#import <MagicalRecord/MagicalRecord.h>
