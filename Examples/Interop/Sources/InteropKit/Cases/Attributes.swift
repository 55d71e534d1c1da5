import Foundation

extension Case {
    /// All types of attributes, at their extremes and without a value.
    static let attributes = Case(
        name: "attributes", title: "Every attribute type at its extremes",
        schema: schemaOfAttributes,
        next: schemaOfAttributes.changing("Sample") {
            $0.rename("text", to: "words")
            $0.rename("decimal", to: "amount")
            $0.attributes.removeAll { $0.name == "float" }
        }.adding(to: "Sample"),
        fill: [
            .insert("Sample", "nothing", [:]),
            .insert("Sample", "lowest", lowest),
            .insert("Sample", "highest", highest),
            .insert("Sample", "smallest", smallest),
            .insert(
                "Sample", "infinite",
                [
                    "double": .double(.infinity), "float": .float(-.infinity), "text": .text(longText),
                ]),
            .insert("Sample", "not a number", ["double": .double(.nan), "float": .float(.nan)]),
        ] + samples(of: "text", texts) + samples(of: "decimal", decimals) + samples(of: "uri", uris)
            + samples(of: "transformable", objects) + [.save(by: "writer")],
        edit: [
            .set("nothing", "integer64", .integer(.max)),
            .set("nothing", "decimal", .decimal("-0.00000000000000000000000000000000000001")),
            .set("nothing", "uuid", .uuid("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF")),
            .set("lowest", "date", .date(0)),
            .set("lowest", "text", .text("\u{1F1EA}\u{1F1FA}")),
            .set("highest", "data", .data(Data())),
            .set("highest", "bool", .none),
            .set("highest", "transformable", .none),
            .set("infinite", "double", .double(-.infinity)),
            .set("text 1", "text", .none),
            .delete("smallest"),
            .delete("decimal 1"),
            .insert("Sample", "added", highest),
            .save(by: "editor"),
        ])

    private static let schemaOfAttributes = Schema([
        EntityShape(
            "Sample",
            [
                .init("integer16", .integer16), .init("integer32", .integer32), .init("integer64", .integer64),
                .init("decimal", .decimal), .init("double", .double), .init("float", .float), .init("text", .text),
                .init("bool", .bool), .init("date", .date), .init("data", .data), .init("uuid", .uuid),
                .init("uri", .uri),
                .init("transformable", .transformable),
            ])
    ])

    private static let lowest: [String: Value] = [
        "integer16": .integer(Int64(Int16.min)), "integer32": .integer(Int64(Int32.min)), "integer64": .integer(.min),
        "decimal": .decimal("-999999999999999"),
        "double": .double(-.greatestFiniteMagnitude), "float": .float(-.greatestFiniteMagnitude),
        "text": .text(""), "bool": .bool(false), "date": .date(-63_114_076_800), "data": .data(Data([0])),
        "uuid": .uuid("00000000-0000-0000-0000-000000000000"), "uri": .uri("a:"), "transformable": .list([]),
    ]

    private static let highest: [String: Value] = [
        "integer16": .integer(Int64(Int16.max)), "integer32": .integer(Int64(Int32.max)), "integer64": .integer(.max),
        "decimal": .decimal("999999999999999"),
        "double": .double(.greatestFiniteMagnitude), "float": .float(.greatestFiniteMagnitude),
        "text": .text("\u{10FFFF}\u{FFFD}\u{E000}"), "bool": .bool(true), "date": .date(63_113_904_000),
        "data": .data(Data((0...255).map { UInt8($0) })),
        "uuid": .uuid("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"),
        "uri": .uri("https://example.com/a/b?c=d&e=%20#f"),
        "transformable": .table(["a": .list([.text("b"), .double(1), .double(-2.5)]), "c": .table([:])]),
    ]

    private static let smallest: [String: Value] = [
        "integer16": .integer(0), "integer32": .integer(-1), "integer64": .integer(1),
        "decimal": .decimal("0.00000000000000000000000000000000000001"),
        "double": .double(.leastNonzeroMagnitude), "float": .float(.leastNonzeroMagnitude),
        "text": .text("a"), "date": .date(-0.000001), "data": .data(Data(repeating: 255, count: 33)),
    ]

    private static let longText = String(repeating: "0123456789 \u{00E4}\u{1F600}", count: 1_000)

    private static let texts: [Value] = [
        .text(" both ends "), .text("e\u{301} and \u{E9}"), .text("line\nline\r\n\ttab"),
        .text("'quote' \"double\" \\ %@ %"),
        .text("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"), .text("\u{5E9}\u{5DC}\u{5D5}\u{5DD} \u{202E}reversed"),
        .text("NULL"), .text("0"), .text("\u{1}\u{7F}\u{FEFF}"),
    ]

    private static let decimals: [Value] = [
        .decimal("0"), .decimal("0.1"), .decimal("-1.5"), .decimal("100"), .decimal("123456789012.345"),
        .decimal("-0.000000000000123456789012345"), .decimal("1e100"), .decimal("-1e-100"),
    ]

    private static let uris: [Value] = [
        .uri("file:///tmp/a%20b"), .uri("urn:isbn:0451450523"), .uri("mailto:ann@example.com"),
        .uri("http://[::1]:80/"),
    ]

    private static let objects: [Value] = [
        .text("a text"), .double(7), .date(12.5), .data(Data([1, 2, 3])), .uuid("00112233-4455-6677-8899-AABBCCDDEEFF"),
        .uri("https://example.com/"), .list([.list([.list([.text("deep")])]), .date(0)]),
    ]

    private static func samples(of attribute: String, _ values: [Value]) -> [Step] {
        values.enumerated().map { .insert("Sample", "\(attribute) \($0.offset + 1)", [attribute: $0.element]) }
    }
}
