// The log's macros. They write when the level, [MagicalRecord setLoggingLevel:], includes their kind; only then are
// their arguments evaluated. With MR_LOGGING_DISABLED defined they compile to nothing.
//
// This header may be imported again after that macro has been defined or undefined, as <assert.h> may.

#import <MagicalRecord/MagicalRecordObjC.h>

#undef MRLogError
#undef MRLogWarn
#undef MRLogInfo
#undef MRLogDebug
#undef MRLogVerbose
#undef MR_LOG

#ifdef MR_LOGGING_DISABLED
// The dead branch lets the compiler still check the format.
#define MR_LOG(kind, ...) do { if (0) MR_logMessage((kind), __VA_ARGS__); } while (0)
#else
#define MR_LOG(kind, ...) do { if (MR_isLogged(kind)) MR_logMessage((kind), __VA_ARGS__); } while (0)
#endif

#define MRLogError(...) MR_LOG(MagicalRecordLoggingMaskError, __VA_ARGS__)
#define MRLogWarn(...) MR_LOG(MagicalRecordLoggingMaskWarn, __VA_ARGS__)
#define MRLogInfo(...) MR_LOG(MagicalRecordLoggingMaskInfo, __VA_ARGS__)
#define MRLogDebug(...) MR_LOG(MagicalRecordLoggingMaskDebug, __VA_ARGS__)
#define MRLogVerbose(...) MR_LOG(MagicalRecordLoggingMaskVerbose, __VA_ARGS__)

// The names of the levels in the pre-releases of 2.3, for [MagicalRecord setLogLevel:].
#define MagicalRecordLogLevel MagicalRecordLoggingLevel
#define MagicalRecordLogLevelOff MagicalRecordLoggingLevelOff
#define MagicalRecordLogLevelFatal MagicalRecordLoggingLevelError
#define MagicalRecordLogLevelError MagicalRecordLoggingLevelError
#define MagicalRecordLogLevelWarn MagicalRecordLoggingLevelWarn
#define MagicalRecordLogLevelInfo MagicalRecordLoggingLevelInfo
#define MagicalRecordLogLevelVerbose MagicalRecordLoggingLevelVerbose
