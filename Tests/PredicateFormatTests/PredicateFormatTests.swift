import Testing

@testable import PredicateFormat
