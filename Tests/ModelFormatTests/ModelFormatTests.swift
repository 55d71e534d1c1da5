import Testing

@testable import ModelFormat
