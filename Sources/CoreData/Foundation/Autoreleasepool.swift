// Foundation lacks `autoreleasepool` off Apple's platforms, where no object is autoreleased. To be removed once Foundation has
// it.

/// Calls the closure and returns its result. Off Apple's platforms there are no autoreleased objects to drain.
@inlinable
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}
