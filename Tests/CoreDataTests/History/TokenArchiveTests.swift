import CoreDataRowStorage
import Foundation
import Testing

@testable import CoreData

/// Tokens outlive the versions of the package: programs keep them in files.
@Suite("Archives of history tokens")
struct TokenArchiveTests {
    private static let stores = [
        "6D0F2A1C-5B0E-4C3A-9C55-0D2B8E7F4A10", "B2C9E7D4-1F36-4A8B-8E21-7C5D90A3F6E2",
        "C0000000-0000-4000-8000-000000000001",
    ]
    /// A token of three stores: transaction 7 of a known time, one of a large number, and none yet.
    private static let token = NSPersistentHistoryToken([
        stores[0]: HistoryMark(place: HistoryPlace(number: 7), timestamp: 812_345_678.125),
        stores[1]: HistoryMark(place: HistoryPlace(number: 1_234_567_890_123), timestamp: nil),
        stores[2]: HistoryMark(place: .start, timestamp: nil),
    ])

    /// Archive of that token from when tokens had numbers only, made in November 2026, before there were places.
    private static let archive = """
        YnBsaXN0MDDUAQIDBAUGBwpZJGFyY2hpdmVyWCR2ZXJzaW9uVCR0b3BYJG9iamVjdHNfEA9OU0tleWVkQXJjaGl2ZXISAAGGoNEICVRyb290gA\
        GvEA8LDBUdHh8gJy8wMTI6OzxVJG51bGzUDQ4PEBESExRWJGNsYXNzWnRpbWVzdGFtcHNfEBJ0cmFuc2FjdGlvbk51bWJlcnNWc3RvcmVzgA6A\
        C4AHgALSFhcYGVYkY2xhc3NaTlMub2JqZWN0c4AGoxobHIADgASABV8QJDZEMEYyQTFDLTVCMEUtNEMzQS05QzU1LTBEMkI4RTdGNEExMF8QJE\
        IyQzlFN0Q0LTFGMzYtNEE4Qi04RTIxLTdDNUQ5MEEzRjZFMl8QJEMwMDAwMDAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMdIhIiMkWiRj\
        bGFzc25hbWVYJGNsYXNzZXNXTlNBcnJheaIlJldOU0FycmF5WE5TT2JqZWN00igpGCtWJGNsYXNzWk5TLm9iamVjdHOABqMsLS6ACIAJgAoQBx\
        MAAAEfcfsEyxAA0jM0NRhaTlMub2JqZWN0c1YkY2xhc3OjNjc3gAyADYANgAYjQcg1tKcQAAAjf/gAAAAAAADSPT4/QFokY2xhc3NuYW1lWCRj\
        bGFzc2VzXxAhQ29yZURhdGEuTlNQZXJzaXN0ZW50SGlzdG9yeVRva2VuokFCXxAhQ29yZURhdGEuTlNQZXJzaXN0ZW50SGlzdG9yeVRva2VuWE\
        5TT2JqZWN0AAgAEQAbACQAKQAyAEQASQBMAFEAUwBlAGsAdAB7AIYAmwCiAKQApgCoAKoArwC2AMEAwwDHAMkAywDNAPQBGwFCAUcBUgFbAWMB\
        ZgFuAXcBfAGDAY4BkAGUAZYBmAGaAZwBpQGnAawBtwG+AcIBxAHGAcgBygHTAdwB4QHsAfUCGQIcAkAAAAAAAAACAQAAAAAAAABDAAAAAAAAAA\
        AAAAAAAAACSQ==
        """

    /// Archive of its numbers as version 0.1 made it, without times.
    private static let firstArchive = """
        YnBsaXN0MDDUAQIDBAUGMzZYJHZlcnNpb25YJG9iamVjdHNUJHRvcFkkYXJjaGl2ZXISAAGGoKwHCA8XGBkaISkqKyxVJG51bGzTCQoLDA0OVn\
        N0b3Jlc18QEnRyYW5zYWN0aW9uTnVtYmVyc1YkY2xhc3OAAoAHgAvSEBESFlpOUy5vYmplY3RzViRjbGFzc6MTFBWAA4AEgAWABl8QJDZEMEYy\
        QTFDLTVCMEUtNEMzQS05QzU1LTBEMkI4RTdGNEExMF8QJEIyQzlFN0Q0LTFGMzYtNEE4Qi04RTIxLTdDNUQ5MEEzRjZFMl8QJEMwMDAwMDAwLT\
        AwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMdIbHB0eWiRjbGFzc25hbWVYJGNsYXNzZXNXTlNBcnJheaIfIFdOU0FycmF5WE5TT2JqZWN00iIj\
        FiVWJGNsYXNzWk5TLm9iamVjdHOABqMmJyiACIAJgAoQBxMAAAEfcfsEyxAA0i0uLzBaJGNsYXNzbmFtZVgkY2xhc3Nlc18QIUNvcmVEYXRhLk\
        5TUGVyc2lzdGVudEhpc3RvcnlUb2tlbqIxMl8QIUNvcmVEYXRhLk5TUGVyc2lzdGVudEhpc3RvcnlUb2tlblhOU09iamVjdNE0NVRyb290gAFf\
        EA9OU0tleWVkQXJjaGl2ZXIACAARABoAIwAoADIANwBEAEoAUQBYAG0AdAB2AHgAegB/AIoAkQCVAJcAmQCbAJ0AxADrARIBFwEiASsBMwE2AT\
        4BRwFMAVMBXgFgAWQBZgFoAWoBbAF1AXcBfAGHAZABtAG3AdsB5AHnAewB7gAAAAAAAAIBAAAAAAAAADcAAAAAAAAAAAAAAAAAAAIA
        """

    private func unarchived(_ data: Data) throws -> NSPersistentHistoryToken {
        try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data))
    }

    @Test func numbersOfOldArchivesAreTheirPlaces() throws {
        let found = try unarchived(try #require(Data(base64Encoded: Self.archive)))
        #expect(found == Self.token)
        #expect(found.marks.mapValues(\.place) == Self.token.marks.mapValues(\.place))
        #expect(found.marks[Self.stores[0]]?.timestamp == 812_345_678.125)
        #expect(found.marks[Self.stores[1]].map { $0.timestamp == nil } == true)
        #expect(found.description.contains("\(Self.stores[1]): 1234567890123"))
        #expect(
            try unarchived(NSKeyedArchiver.archivedData(withRootObject: found, requiringSecureCoding: true)) == found)
    }

    @Test func archivesOfTheFirstVersionHaveNoTimes() throws {
        let found = try unarchived(try #require(Data(base64Encoded: Self.firstArchive)))
        #expect(found == Self.token)
        #expect(found.marks.values.allSatisfy { $0.timestamp == nil })
    }

    @Test func olderVersionsReadNumberedPlaces() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: Self.token, requiringSecureCoding: true)
        let archive = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        let objects = try #require(archive?["$objects"] as? [Any])
        let keys = objects.compactMap { $0 as? [String: Any] }.first { $0["stores"] != nil }?.keys
        #expect(Set(keys ?? [:].keys) == ["$class", "stores", "transactionNumbers", "timestamps"])
        #expect(objects.contains { $0 as? Int64 == 1_234_567_890_123 })
    }

    /// Places of engines without numbers, among them ones of eight bytes that are no number.
    @Test(arguments: [[1], [0, 0, 0, 0, 0, 0, 0, 0], [255, 0, 0, 0, 0, 0, 0, 1], Array(1...40)] as [[UInt8]])
    func placesOfOtherEnginesAreKept(_ bytes: [UInt8]) throws {
        let place = HistoryPlace(bytes: Data(bytes))
        let token = NSPersistentHistoryToken([
            "a": HistoryMark(place: place, timestamp: 5),
            "b": HistoryMark(place: HistoryPlace(number: 7), timestamp: nil),
        ])
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let found = try unarchived(data)
        #expect(found == token)
        #expect(found.marks["a"]?.place.bytes == Data(bytes))
        #expect(found.marks["b"]?.place.number == 7)
        #expect(found != NSPersistentHistoryToken(["a": HistoryMark(place: .start, timestamp: 5)]))
    }
}
