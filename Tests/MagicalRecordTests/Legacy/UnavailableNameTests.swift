#if !canImport(Darwin)
import MagicalRecordTestSupport
import Testing

/// A target of the error handler that is not known to take errors is a compiler error.
@Suite(.enabled(if: SwiftCompiler.hasModules, SwiftCompiler.need)) struct UnavailableNameTests {
    /// On Apple's platforms any object may be the target, and is sent the action.
    @Test func errorTargets() throws {
        let errors = try SwiftCompiler.errors(
            in: """
                import MagicalRecord

                final class Target: NSObject {}
                func useTarget(_ target: Target) {
                    MagicalRecord.setErrorHandlerTarget(target, action: Selector("take:"))
                }
                """)
        #expect(errors.count == 1)
        #expect(errors.first?.contains("MagicalRecordErrorTarget") == true)
    }
}
#endif
