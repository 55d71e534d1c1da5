import MagicalRecord
import Testing

/// What prints the description of a store, by whichever way: passwords must not get into logs.
@Suite struct StorePrintingTests {
    private static let server = MagicalRecord.Store(
        type: "PostgreSQL",
        location: .url(URL(string: "postgresql://ann:h%75sh@db:1/books?password=hush&sslpassword=husk")!),
        options: ["Key": "hush"])

    private static func texts(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [String(describing: value), String(reflecting: value), "\(value)", dumped]
    }

    @Test func noPasswordIsPrinted() throws {
        let store = Self.server
        let values: [Any] = [
            store, store.location, store.readOnly(), [store], ["key": store], Optional(store) as Any,
            (1, store.location),
        ]
        for text in values.flatMap(Self.texts) {
            for secret in ["hush", "husk", "h%75sh"] { #expect(!text.contains(secret), "\(text)") }
            #expect(text.contains("postgresql://ann@db:1/books"), "\(text)")
        }
        let url = try #require(store.url?.absoluteString)
        #expect(url.contains("h%75sh") && url.contains("husk"), "The URL itself is unchanged.")
    }

    @Test(arguments: [
        "postgresql:ann:hush@db/books", "postgresql://:hush@/books", "postgresql:///books?user=ann&password=hush",
        "postgresql://db/books?hush", "postgresql://ann:hush@[::1]/books#hush", "postgresql://ann:a%40hush@db/books",
    ])
    func unusualURLs(_ text: String) throws {
        let url = try #require(URL(string: text))
        for text in Self.texts(of: MagicalRecord.Store.at(url)) {
            #expect(!text.contains("hush"), "\(text)")
            #expect(text.contains("postgresql:"), "\(text)")
        }
    }

    @Test func filesAndMemory() {
        let file = URL(fileURLWithPath: "/tmp/a b.sqlite")
        #expect("\(MagicalRecord.Store.sqlite(at: file))" == "SQLite /tmp/a b.sqlite")
        #expect("\(MagicalRecord.Store.sqlite(named: "Book").readOnly())" == "SQLite Book, read-only")
        #expect("\(MagicalRecord.Store.inMemory)" == "InMemory")
        #expect("\(MagicalRecord.Store.inMemory(configuration: "Cache"))" == "InMemory, configuration Cache")
    }
}
