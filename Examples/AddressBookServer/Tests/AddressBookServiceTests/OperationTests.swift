import AddressBookService
import Foundation
import MagicalRecord
import Testing

/// Tests of what operators ask for, and of the command line.
@Suite("Operations") struct OperationTests {
    @Test(arguments: TestStore.all) func aServiceIsHealthyWhileItsStoreAnswers(_ store: TestStore) async throws {
        try await store.withService { service in
            try await service.send(.get, "/health")
            try await service.addressBook.close()
            let answer = try await service.send(.get, "/health", nil, .serviceUnavailable)
            #expect(answer.error["message"] != nil)
        }
    }

    @Test(arguments: TestStore.all) func requestsAndOperationsAreMeasured(_ store: TestStore) async throws {
        try await store.withService { service in
            let observer = DatabaseMetrics(service.metrics, system: store.rawValue)
            Instruments.add(observer)
            defer { Instruments.remove(observer) }
            try await service.add("Ann")
            try await service.send(.get, "/contacts/1")
            try await service.send(.get, "/contacts/2", nil, .notFound)
            try await service.send(.get, "/contacts/3", nil, .notFound)
            let lines = try await service.send(.get, "/metrics").text.split(separator: "\n")
            let requests = "http_server_request_duration_seconds"
            #expect(lines.contains("# TYPE \(requests) histogram"))
            let labels = #"http_request_method="GET",http_route="/contacts/{id}",http_response_status_code"#
            #expect(lines.contains("\(requests)_count{\(labels)=\"200\"} 1"))
            #expect(lines.contains("\(requests)_count{\(labels)=\"404\"} 2"))
            #expect(lines.contains("\(requests)_bucket{\(labels)=\"404\",le=\"+Inf\"} 2"))
            let operations = "db_client_operation_duration_seconds"
            let fetches = #"db_system_name="\#(store.rawValue)",db_operation_name="fetch",db_collection_name="User""#
            #expect(lines.contains { $0.hasPrefix("\(operations)_count{\(fetches)}") })
            let saves = "db_operation_name=\"save\""
            #expect(lines.contains { $0.hasPrefix("\(operations)_count{") && $0.contains(saves) })
        }
    }

    @Test func bucketsOfAHistogramGrow() async throws {
        try await TestStore.sqlite.withService { service in
            for _ in 0..<5 { try await service.send(.get, "/health") }
            let buckets = try await service.send(.get, "/metrics").text.split(separator: "\n")
                .filter { $0.contains("_bucket") && $0.contains("/health") }
                .compactMap { Int($0.split(separator: " ").last ?? "") }
            #expect(buckets.count == 15 && buckets.last == 5)
            #expect(buckets == buckets.sorted())
        }
    }

    @Test func optionsAreChecked() throws {
        let options = try ServerOptions(["--store", "a.sqlite", "--host", "0.0.0.0", "--port", "0", "--history", "3"])
        #expect(options.store == "a.sqlite" && options.host == "0.0.0.0" && options.port == 0)
        #expect(options.historyDays == 3 && !options.isPostgreSQL)
        for arguments in [["--books", "1"], ["--port"], ["--port", "x"], ["--history", "0"]] {
            #expect(throws: ServerOptions.Invalid.self) { try ServerOptions(arguments) }
        }
    }

    @Test func databasesNeedTheTrait() throws {
        let options = try ServerOptions(["--store", "postgresql://ann@localhost/addressbook"])
        #expect(options.isPostgreSQL)
        #if PostgreSQL
        #expect(try options.storeDescription().url?.scheme == "postgresql")
        #else
        let error = #expect(throws: ServerOptions.Invalid.self) { try options.storeDescription() }
        #expect(error?.description.contains("--traits PostgreSQL") == true)
        #endif
    }
}
