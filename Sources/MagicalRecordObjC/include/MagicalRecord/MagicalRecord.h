// The way in for Objective-C: #import <MagicalRecord/MagicalRecord.h>
//
// Before it, a file (or a build setting) may define
//   MR_SHORTHAND         to declare the names without their prefix, as [User findAll]; the program must also call
//                        [MagicalRecord enableShorthandMethods] once.
//   MR_LOGGING_DISABLED  to compile the MRLog macros away.

#import <MagicalRecord/MagicalRecordObjC.h>
#import <MagicalRecord/MagicalRecordLogging.h>

#ifdef MR_SHORTHAND
#import <MagicalRecord/MagicalRecordShorthandMethodAliases.h>
#endif
