#pragma once
@import Foundation;
#pragma clang assume_nonnull begin
FK_SENDABLE @interface UIColor : NSObject <NSCopying, NSSecureCoding>
- (UIColor *)initWithRed:(double)r green:(double)g blue:(double)b alpha:(double)a FK_NAME("init(red:green:blue:alpha:)");
@end
#pragma clang assume_nonnull end
