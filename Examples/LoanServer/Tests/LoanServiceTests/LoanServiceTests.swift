import Foundation
import Hummingbird
import HummingbirdTesting
import LoanService
import MagicalRecord
import MagicalRecordTesting
import Testing

/// Tests of the service's HTTP interface. Each test has a separate store, so they run in parallel.
@Suite(.testStack(Library.model, shape: .server)) struct LoanServiceTests {
    private let library: Library

    init() throws {
        library = Library(stack: try MagicalRecord.requireStack())
    }

    private func test(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
        try await Application(router: library.router()).test(.router, body)
    }

    private static func body(_ value: some Encodable) throws -> ByteBuffer {
        ByteBuffer(data: try JSONEncoder().encode(value))
    }

    private func add(_ titles: String..., copies: Int32 = 1) async throws {
        for (number, title) in titles.enumerated() {
            try await library.put(BookValue(isbn: "\(number)", title: title, year: 2000, copies: copies))
        }
    }

    @Test func aBookIsPutAndFound() async throws {
        try await test { client in
            let book = BookValue(isbn: "978-1", title: "Emma", year: 1815, copies: 2)
            try await client.execute(uri: "/books/978-1", method: .put, body: try Self.body(book)) {
                #expect($0.status == .ok)
            }
            try await client.execute(uri: "/books/978-1", method: .get) {
                let found = try JSONDecoder().decode(BookValue.self, from: $0.body)
                #expect(found == book)
            }
        }
        expect(contains: [["978-1", "Emma", 1815, 2]], by: "SELECT ZISBN, ZTITLE, ZYEAR, ZCOPIES FROM ZBOOK")
    }

    @Test func puttingAgainChangesTheBook() async throws {
        try await library.put(BookValue(isbn: "1", title: "Ema", year: 1815))
        try await library.put(BookValue(isbn: "1", title: "Emma", year: 1816))
        expect(contains: [["1", "Emma", 1816]], by: "SELECT ZISBN, ZTITLE, ZYEAR FROM ZBOOK")
    }

    @Test func aBookWithoutTitleIsRefused() async throws {
        try await test { client in
            let book = BookValue(isbn: "1", title: "", year: 1815)
            try await client.execute(uri: "/books/1", method: .put, body: try Self.body(book)) {
                #expect($0.status == .unprocessableContent)
            }
        }
        expect(contains: 0, by: "SELECT count(*) FROM ZBOOK")
    }

    @Test func pathAndBodyMustAgree() async throws {
        try await test { client in
            let book = BookValue(isbn: "1", title: "Emma", year: 1815)
            try await client.execute(uri: "/books/2", method: .put, body: try Self.body(book)) {
                #expect($0.status == .badRequest)
            }
        }
    }

    @Test func whatIsNotThereIsNotFound() async throws {
        try await test { client in
            try await client.execute(uri: "/books/7", method: .get) { #expect($0.status == .notFound) }
            try await client.execute(uri: "/loans/\(UUID())", method: .delete) { #expect($0.status == .notFound) }
        }
    }

    @Test func pagesFollowEachOther() async throws {
        try await add("Dune", "Emma", "Faust", "Emma", "Candide")
        try await test { client in
            var titles: [String] = []
            var after = ""
            repeat {
                let list = try await client.execute(uri: "/books?size=2" + after, method: .get) {
                    try JSONDecoder().decode(BookList.self, from: $0.body)
                }
                titles += list.books.map(\.title)
                after = list.next.map { "&after=" + $0 } ?? ""
            } while !after.isEmpty
            #expect(titles == ["Candide", "Dune", "Emma", "Emma", "Faust"])
        }
    }

    @Test func badPagesAreBadRequests() async throws {
        try await test { client in
            for query in ["size=0", "size=ten", "size=101", "after=nowhere"] {
                try await client.execute(uri: "/books?" + query, method: .get) { #expect($0.status == .badRequest) }
            }
        }
    }

    @Test func titlesAreSearched() async throws {
        try await add("War and Peace", "The Warden", "Peace")
        let list = try await library.books(titled: "war", after: nil, size: 10)
        #expect(list.books.map(\.title) == ["The Warden", "War and Peace"])
    }

    @Test func yearsAreCounted() async throws {
        for (number, year) in [1815, 1815, 1851].enumerated() {
            try await library.put(BookValue(isbn: "\(number)", title: "Book", year: Int32(year)))
        }
        #expect(try await library.years() == ["1815": 2, "1851": 1])
    }

    @Test func aLoanBeginsAndEnds() async throws {
        try await add("Emma")
        try await test { client in
            let wish = try Self.body(["isbn": "0", "member": "Ann"])
            let loan = try await client.execute(uri: "/loans", method: .post, body: wish) {
                #expect($0.status == .created)
                let decoder = JSONDecoder()
                decoder.dateDecodingStrategy = .iso8601
                return try decoder.decode(LoanValue.self, from: $0.body)
            }
            try await client.execute(uri: "/loans", method: .post, body: wish) { #expect($0.status == .conflict) }
            #expect(try await library.loans(of: "Ann").map(\.number) == [loan.number])
            try await client.execute(uri: "/loans/\(loan.number)", method: .delete) { #expect($0.status == .noContent) }
            try await client.execute(uri: "/loans", method: .post, body: wish) { #expect($0.status == .created) }
        }
    }

    /// Sends forty concurrent requests for three copies to two servers on one store.
    @Test func neverMoreThanAllCopiesAreLent() async throws {
        try await add("Emma", copies: 3)
        let url = try #require(MagicalRecord.requireStack().stores.first?.url)
        let libraries = [library, try Library(store: .sqlite(at: url))]
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        _ = try await libraries[number % 2].lend(isbn: "0", to: "Member \(number)")
                        return true
                    } catch Library.Failure.allLent {
                        return false
                    } catch {
                        Issue.record(error)
                        return false
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 3)
        expect(contains: 3, by: "SELECT count(*) FROM ZLOAN")
        try await libraries[1].close()
    }

    @Test func loansComeInTheOrderTheyAreDue() async throws {
        try await add("Emma", "Dune", "Faust")
        for (isbn, days) in [("0", 20), ("1", 5), ("2", 10)] {
            _ = try await library.lend(isbn: isbn, to: "Ann", days: days)
        }
        #expect(try await library.loans(of: "Ann").map(\.isbn) == ["1", "2", "0"])
    }
}
