extension Duration {
    /// The duration in nanoseconds, clamped to the range of `Int64`, which is 292 years.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product + attoseconds / 1_000_000_000
    }

    /// The duration in milliseconds.
    var milliseconds: Double { self / .milliseconds(1) }
}
