import CoreData

// Text, of columns that always have a value and of those that may have none, which are not found by it.

extension MagicalRecord.Column where Value: MagicalRecord._TextValue {
    /// Returns the condition `key CONTAINS text`.
    public func contains(_ text: String, _ matching: MagicalRecord.TextMatching = []) -> MagicalRecord.Condition<Root> {
        matches("CONTAINS", text, matching)
    }

    /// Returns the condition `key BEGINSWITH text`.
    public func beginsWith(_ text: String, _ matching: MagicalRecord.TextMatching = []) -> MagicalRecord.Condition<Root>
    {
        matches("BEGINSWITH", text, matching)
    }

    /// Returns the condition `key ENDSWITH text`.
    public func endsWith(_ text: String, _ matching: MagicalRecord.TextMatching = []) -> MagicalRecord.Condition<Root> {
        matches("ENDSWITH", text, matching)
    }

    /// Returns the condition `key LIKE pattern`: `?` stands for one character, `*` for any number of characters.
    public func like(_ pattern: String, _ matching: MagicalRecord.TextMatching = []) -> MagicalRecord.Condition<Root> {
        matches("LIKE", pattern, matching)
    }

    /// Returns the condition `key MATCHES expression`: the regular expression matches the whole text.
    public func matches(_ expression: String, _ matching: MagicalRecord.TextMatching = [])
        -> MagicalRecord.Condition<Root>
    {
        matches("MATCHES", expression, matching)
    }

    /// Returns the condition `key == text` with options, such as equality without regard to case.
    public func equals(_ text: String, _ matching: MagicalRecord.TextMatching) -> MagicalRecord.Condition<Root> {
        matches("==", text, matching)
    }

    /// The number of characters.
    public var length: MagicalRecord.Column<Root, Int?> { computed("length:") }

    /// The text in lower case.
    public var lowercased: MagicalRecord.Column<Root, Value> { computed("lowercase:") }

    /// The text in upper case.
    public var uppercased: MagicalRecord.Column<Root, Value> { computed("uppercase:") }

    private func matches(_ operation: String, _ text: String, _ matching: MagicalRecord.TextMatching)
        -> MagicalRecord.Condition<Root>
    {
        compared(operation + matching.suffix, .constant(text))
    }

    private func computed<Result>(_ function: String) -> MagicalRecord.Column<Root, Result> {
        MagicalRecord.Column<Root, Result>(.function(function, [columnOperand]))
    }
}
