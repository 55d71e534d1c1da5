import Testing

@testable import ModelCompiler
