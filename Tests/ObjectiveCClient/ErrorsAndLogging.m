#import "Client.h"

static NSInteger evaluations = 0;

static NSString *evaluated(void)
{
    evaluations += 1;
    return @"argument";
}

static void checkLogging(void)
{
    MagicalRecordLoggingLevel level = [MagicalRecord loggingLevel];
    [MagicalRecord setLoggingLevel:MagicalRecordLoggingLevelOff];
    MRLogError(@"an error: %@", evaluated());
    MRLogVerbose(@"much: %@", evaluated());
    CHECK(evaluations == 0);
    [MagicalRecord setLoggingLevel:MagicalRecordLoggingLevelWarn];
    MRLogError(@"An error of no consequence: %@, %d", evaluated(), 1);
    MRLogWarn(@"A warning of no consequence");
    MRLogInfo(@"not written: %@", evaluated());
    MRLogDebug(@"not written: %@", evaluated());
    MRLogVerbose(@"not written: %@", evaluated());
    CHECK(evaluations == 1);
    [MagicalRecord setLoggingLevel:level];
    CHECK([MagicalRecord loggingLevel] == level);
}

#define MR_LOGGING_DISABLED
#import <MagicalRecord/MagicalRecordLogging.h>

static void checkNoLogging(void)
{
    NSInteger before = evaluations;
    MRLogError(@"never written: %@", evaluated());
    CHECK(evaluations == before);
}

void checkErrorsAndLogging(void)
{
    startInMemory();
    ErrorTarget *target = [[ErrorTarget alloc] init];
    [MagicalRecord setErrorHandlerTarget:target action:@selector(receiveError:)];
    CHECK([MagicalRecord errorHandlerTarget] == target);
    CHECK([MagicalRecord errorHandlerAction] == @selector(receiveError:));
    NSError *error = [NSError errorWithDomain:@"Client" code:7 userInfo:nil];
    [MagicalRecord handleErrors:error];
    CHECK(target.lastError.code == 7);
    [MagicalRecord handleErrors:nil];
    CHECK(target.lastError.code == 7);
    [MagicalRecord setErrorHandlerTarget:nil action:nil];
    CHECK([MagicalRecord errorHandlerTarget] == nil);
    checkLogging();
    checkNoLogging();
}
