import Testing

@testable import MagicalRecord
