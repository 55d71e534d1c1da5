import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import Testing

/// URLs of PostgreSQL databases: their types, and the texts that name them.
@Suite("URLs of servers")
struct ServerURLTests {
    /// No server listens there. Both forms of a password that a URL may have.
    private static let url = URL(string: "postgresql://ann:h%75sh@127.0.0.1:1/books?sslpassword=husk&sslmode=disable")!
    private static let secrets = ["h%75sh", "hush", "husk"]

    private func failure(_ body: () throws -> Void) throws -> NSError {
        var found: NSError?
        do { try body() } catch { found = error as NSError }
        return try #require(found)
    }

    private func expectNoSecret(in text: String, _ location: SourceLocation = #_sourceLocation) {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(text)", sourceLocation: location) }
    }

    private func expectNoSecret(in error: NSError, _ location: SourceLocation = #_sourceLocation) {
        expectNoSecret(in: "\(error) \(error.localizedDescription) \(error.userInfo)", location)
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError { expectNoSecret(in: cause, location) }
    }

    // MARK: Types

    @Test(arguments: ["postgresql:///books", "postgres://127.0.0.1/books", "PostgreSQL://127.0.0.1/books"])
    func theSchemeNamesTheType(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(NSPersistentStoreDescription(url: url).type == "PostgreSQL")
        #expect(CoreDataPostgreSQLStoreType == "PostgreSQL")
        #expect(NSPersistentStore.StoreType.postgreSQL.rawValue == "PostgreSQL")
        let store = try MagicalRecord.Store.postgreSQL(text)
        #expect(store.type == "PostgreSQL")
        #expect(store.url == url)
        #expect(MagicalRecord.Store.at(url).type == "PostgreSQL")
    }

    #if PostgreSQL
    @Test func theTypeIsRegistered() {
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["PostgreSQL"] != nil)
    }
    #else
    @Test func withoutTheTraitTheErrorNamesIt() throws {
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes["PostgreSQL"] == nil)
        let error = try failure { _ = try ToyStores.container(Versions.first(), at: Self.url) }
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSPersistentStoreInvalidTypeError)
        #expect(error.localizedRecoverySuggestion?.contains("--traits PostgreSQL") == true, "\(error)")
        expectNoSecret(in: error)
        let stack = try failure {
            _ = try MagicalRecord.Stack([.postgreSQL(at: Self.url)], model: .model(Versions.first()))
        }
        #expect(stack.localizedRecoverySuggestion?.contains("--traits PostgreSQL") == true, "\(stack)")
    }
    #endif

    @Test func anotherTypeIsAnErrorThatNamesThisOne() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Versions.first())
        for type in [NSSQLiteStoreType, NSXMLStoreType] {
            let error = try failure {
                _ = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: Self.url)
            }
            #expect(error.code == NSPersistentStoreOpenError)
            #expect(error.localizedRecoverySuggestion?.contains("the type PostgreSQL") == true, "\(error)")
            expectNoSecret(in: error)
        }
    }

    @Test(arguments: ["sqlite:///books", "/books", "postgresql://ann:hu/sh@a/books", "postgresql://a:1,b:2/books"])
    func otherTextsAreRefusedAndNotRepeated(_ text: String) throws {
        let error = try failure { _ = try MagicalRecord.Store.postgreSQL(text) }
        #expect(error.domain == MagicalRecordError.errorDomain)
        #expect(error.code == MagicalRecordError.Code.invalidArgument.rawValue, "\(error)")
        #expect(!"\(error)".contains("hu/sh"))
    }

    // MARK: Passwords

    @Test func descriptionsLeaveOutPasswords() throws {
        let text = NSPersistentStoreDescription(url: Self.url).description
        expectNoSecret(in: text)
        #expect(text.contains("postgresql://ann:***@127.0.0.1:1/books?sslpassword=***&sslmode=disable"), "\(text)")
        // The URL itself is unchanged, and so are those without passwords.
        #expect(NSPersistentStoreDescription(url: Self.url).url == Self.url)
        for url in ["postgresql:///books?host=%2Ftmp", "file:///tmp/a:b@c?password=d"].compactMap(URL.init) {
            #expect(NSPersistentStoreDescription(url: url).description.contains(url.absoluteString))
        }
    }

    @Test func whatIsDumpedLeavesOutPasswords() throws {
        let container = NSPersistentContainer(name: "Books", managedObjectModel: Versions.first())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: Self.url)]
        let store = try MagicalRecord.Store.postgreSQL(at: Self.url)
        for value in [container.persistentStoreDescriptions, container, store, [store]] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            expectNoSecret(in: dumped)
            expectNoSecret(in: String(reflecting: value))
        }
    }

    @Test func errorsLeaveOutPasswords() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Versions.first())
        let type = CoreDataPostgreSQLStoreType
        let operations: [() throws -> Void] = [
            { _ = try ToyStores.container(Versions.first(), at: Self.url) },
            {
                _ = try ToyStores.container(Versions.first(), at: Self.url) {
                    $0.setOption(1 as NSNumber, forKey: "Colour")
                }
            },
            {
                _ = try ToyStores.container(Versions.first(), at: Self.url) {
                    $0.setOption("soon" as NSString, forKey: NSPersistentStoreTimeoutOption)
                }
            },
            { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: Self.url) },
            { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(with: Self.url) },
            { try coordinator.destroyPersistentStore(at: Self.url, ofType: type) },
            { _ = try NSManagedObjectModel(cachedInStoreAt: Self.url) },
            { _ = try MagicalRecord.Stack([.postgreSQL(at: Self.url)], model: .model(Versions.first())) },
        ]
        for operation in operations { expectNoSecret(in: try failure(operation)) }
    }

    @Test func malformedURLsAreNotRepeated() throws {
        // libpq quotes these in its messages.
        let texts = [
            "postgresql://ann:hush%00@127.0.0.1:1/books", "postgresql:ann:hush@127.0.0.1/books",
            "postgresql://127.0.0.1:1/books?password=%00hush", "postgresql://127.0.0.1:1/books?hush",
        ]
        for text in texts {
            let url = try #require(URL(string: text))
            let error = try failure { _ = try ToyStores.container(Versions.first(), at: url) }
            expectNoSecret(in: error)
        }
    }

    @Test func recordingsLeaveOutPasswords() throws {
        let recording = try Instruments.record {
            _ = try failure { _ = try ToyStores.container(Versions.first(), at: Self.url) }
        }
        expectNoSecret(in: "\(recording.events)")
        for event in recording.events { expectNoSecret(in: event.store ?? "") }
    }
}
