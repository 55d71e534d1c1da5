extension Case {
    /// Decimals with more digits than a floating-point number. A column of type `DECIMAL` has numeric affinity: SQLite converts
    /// numbers that are no 64-bit integers to floating point, so the store loses digits.
    static let longDecimals = Case(
        name: "long-decimals", title: "Decimals of more than fifteen digits",
        schema: schema, next: schema.adding(to: "Amount"),
        fill: numbers.enumerated().map { .insert("Amount", "n\($0.offset)", ["decimal": .decimal($0.element)]) }
            + [.save(by: "writer")],
        edit: [
            .set("n0", "decimal", .decimal("9223372036854775806")),
            .set("n1", "decimal", .decimal("31415926535897932384626433832795028842e-37")),
            .save(by: "editor"),
        ])

    private static let schema = Schema([EntityShape("Amount", [.init("decimal", .decimal)])])

    private static let numbers = [
        "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "9007199254740993", "12345678901234567", "1234567890123456.7",
        "0.12345678901234567890123456789012345678",
    ]
}
