import CoreData

extension Condition {
    /// `key CONTAINS text`.
    public static func contains<Value: TextPredicateValue>(
        _ key: KeyPath<Root, Value>, _ text: String, _ matching: TextMatching = []
    ) -> Condition {
        Condition(key, "CONTAINS", text, matching)
    }

    /// `key BEGINSWITH text`.
    public static func beginsWith<Value: TextPredicateValue>(
        _ key: KeyPath<Root, Value>, _ text: String, _ matching: TextMatching = []
    ) -> Condition {
        Condition(key, "BEGINSWITH", text, matching)
    }

    /// `key ENDSWITH text`.
    public static func endsWith<Value: TextPredicateValue>(
        _ key: KeyPath<Root, Value>, _ text: String, _ matching: TextMatching = []
    ) -> Condition {
        Condition(key, "ENDSWITH", text, matching)
    }

    /// `key LIKE pattern`: `?` is any one character, `*` any number of them.
    public static func like<Value: TextPredicateValue>(
        _ key: KeyPath<Root, Value>, _ pattern: String, _ matching: TextMatching = []
    ) -> Condition {
        Condition(key, "LIKE", pattern, matching)
    }

    /// `key MATCHES expression`: the whole text must match the regular expression.
    public static func matches<Value: TextPredicateValue>(
        _ key: KeyPath<Root, Value>, _ expression: String, _ matching: TextMatching = []
    ) -> Condition {
        Condition(key, "MATCHES", expression, matching)
    }

    /// `key == text` with options: equal without regard to case, for example.
    public static func equals<Value: TextPredicateValue>(
        _ key: KeyPath<Root, Value>, _ text: String, _ matching: TextMatching
    ) -> Condition {
        Condition(key, "==", text, matching)
    }

    private init<Value>(
        _ key: KeyPath<Root, Value>, _ operation: String, _ text: String, _ matching: TextMatching
    ) {
        self.init(.comparison(.path(KeyPathName.of(key)), operation + matching.suffix, .constant(text)))
    }
}
