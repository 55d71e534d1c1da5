import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Leaves a suite or test out where `MAGICALRECORD_QUICK` is `1`, as in `.ci/quick`.
    public static var slow: Self {
        .disabled(
            if: ProcessInfo.processInfo.environment["MAGICALRECORD_QUICK"] == "1",
            "Slow tests are left out of .ci/quick")
    }
}
