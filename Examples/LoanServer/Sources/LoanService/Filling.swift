import MagicalRecord

extension Library {
    /// Imports `count` generated books if the store has none.
    public func fill(_ count: Int) async throws {
        guard try await stack.read({ context in try !Book.exists(in: context) }) else { return }
        let records = (0..<count).map { number -> [String: any Sendable] in
            ["isbn": "978-\(number)", "title": "Volume \(number * 7919 % max(count, 1))", "year": 1950 + number % 75]
        }
        try await stack.importAll(Book.self, from: .records(records))
    }

    /// Waits for running reads and saves, then closes the store.
    public func close() async throws {
        try await stack.tearDown()
    }
}
