import MagicalRecord
import MagicalRecordTesting
import Testing

/// Rows of a store by SQL, and expectations of them.
@Suite(.testStack(.model(AddressBook.model()), shape: .server)) struct StoreRowsTests {
    private func addAnn() async throws {
        try await MagicalRecord.save { context in
            let ann = try User.create(in: context)
            ann.userID = 7
            ann.displayName = "Ann O'Hara"
            ann.balance = 2.5
        }
    }

    @Test func valuesAreThoseOfTheFile() async throws {
        try await addAnn()
        let rows = try storeRows("SELECT ZUSERID, ZDISPLAYNAME, ZBALANCE, ZEMAIL, ZISFRIEND, x'00ff', x'' FROM ZUSER")
        #expect(rows == [[7, "Ann O'Hara", 2.5, nil, false, .blob(Data([0, 255])), .blob(Data())]])
        #expect(rows[0].map(\.description) == ["7", "'Ann O''Hara'", "2.5", "NULL", "0", "x'00ff'", "x''"])
    }

    @Test func parametersAreBound() async throws {
        let sql = "SELECT ?1 IS NULL, ?2 + 1, ?3 * 2, ?4 || '!', length(?5), typeof(?6)"
        let rows = try storeRows(sql, nil, 41, 0.5, "a\0'b", .blob(Data([1, 2, 3])), .blob(Data()))
        #expect(rows == [[1, 42, 1.0, "a\0'b!", 3, "blob"]])
        #expect { try storeRows(sql, 1) } throws: { "\($0)".contains("has 6 parameters, and 1 values were given") }
    }

    @Test func saysWhatSQLiteSays() throws {
        #expect { try storeRows("SELECT ZNAME FROM USER") } throws: {
            "\($0)".hasPrefix("SQLite 1: no such table: USER, in SELECT ZNAME FROM USER")
        }
        #expect { try storeRows("") } throws: { "\($0)" == "The SQL is empty." }
        #expect { try storeRows("SELECT 1; SELECT 2") } throws: { "\($0)".contains("more than one statement") }
        #expect(try storeRows("SELECT 1 WHERE 0;") == [])
    }

    @Test func statementsThatWriteAreRefused() async throws {
        try await addAnn()
        #expect { try storeRows("DELETE FROM ZUSER") } throws: { MagicalRecordError.Code.storeRows ~= $0 }
        expect(contains: 1, by: "SELECT count(*) FROM ZUSER")
    }

    @Test func storesWithoutFilesHaveNoRows() throws {
        for store in [MagicalRecord.Store.inMemory, .temporary] {
            let stack = try AddressBook.stack(store, shape: .server)
            #expect { try storeRows(of: stack, "SELECT 1") } throws: { "\($0)".contains("no SQLite store with a file") }
        }
    }

    @Test func differencesAreIssuesOfTheTest() async throws {
        try await addAnn()
        let sql = "SELECT ZUSERID, ZDISPLAYNAME FROM ZUSER"
        expect(contains: [[7, "Ann O'Hara"]], by: sql)
        withKnownIssue {
            expect(contains: [[8, nil], [9, "Bob"]], by: sql)
        } matching: { issue in
            issue.comments.first?.rawValue == """
                The store does not contain what was expected, by SELECT ZUSERID, ZDISPLAYNAME FROM ZUSER
                expected: 8 | NULL
                          9 | 'Bob'
                found:    7 | 'Ann O''Hara'
                """
        }
        withKnownIssue {
            expect(contains: [], by: sql)
        } matching: {
            "\($0)".contains("no rows")
        }
        withKnownIssue {
            expect(contains: 7, by: "SELECT ZNO FROM ZUSER")
        } matching: {
            "\($0)".contains("ZNO")
        }
    }
}
