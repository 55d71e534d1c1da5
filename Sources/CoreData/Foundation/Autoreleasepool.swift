// Foundation has no `autoreleasepool` off Apple, where nothing is autoreleased. This goes when Foundation has one.

/// Runs the closure and returns what it returns. Off Apple there are no autoreleased objects to drain.
@inlinable
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}
