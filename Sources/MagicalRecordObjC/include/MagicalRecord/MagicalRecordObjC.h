// Everything of MagicalRecord that Objective-C sees: what Swift exports, and what it cannot.
//
// The macros, and the names without prefix, are in headers that are read as text: see MagicalRecord.h.

#pragma once

#import <Foundation/Foundation.h>
#import <CoreData/CoreData.h>

#if __has_feature(modules)
@import MagicalRecord;
#elif __has_include("MagicalRecord-Swift.h")
#import "MagicalRecord-Swift.h"
#elif __has_include(<MagicalRecord/MagicalRecord-Swift.h>)
#import <MagicalRecord/MagicalRecord-Swift.h>
#else
#error "MagicalRecord-Swift.h was not found. Turn modules on (for Objective-C++: -fmodules -fcxx-modules), or add the folder of that header to the header search paths."
#endif

#import <MagicalRecord/MagicalRecordTypes.h>
#import <MagicalRecord/MagicalRecordConstants.h>
#import <MagicalRecord/MagicalRecordProtocols.h>
#import <MagicalRecord/MagicalRecordSelectors.h>
#import <MagicalRecord/MagicalImportFunctions.h>
