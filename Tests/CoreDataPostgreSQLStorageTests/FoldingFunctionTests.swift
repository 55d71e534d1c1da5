#if PostgreSQL
import PostgreSQLTestSupport
import Testing

@Suite("Folding", .enabled(if: TestServer.isAvailable))
struct ServerFoldingTests {
    @Test func stub() {}
}
#endif
