/// A value passed across threads, where the context's queue ensures that only one thread uses it at a time.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
