#import "MagicalRecord+Private.h"

BOOL MR_isLogged(MagicalRecordLoggingMask kind)
{
    return ((NSUInteger)[MagicalRecord loggingLevel] & (NSUInteger)kind) == (NSUInteger)kind;
}

void MR_logMessage(MagicalRecordLoggingMask kind, NSString *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    NSString *message = [[NSString alloc] initWithFormat:format arguments:arguments];
    va_end(arguments);
    [MagicalRecord MR_logKind:(NSUInteger)kind message:message];
}
