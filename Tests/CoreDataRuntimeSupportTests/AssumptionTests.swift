import CoreDataRuntimeSupport
import Foundation
import Testing

/// What this package assumes about how Swift lays out memory holds with the toolchain it is built with. A failure here means
/// that programs are slower than they were, not that they are wrong: the plain ways are taken. Run with `COREDATA_PLAIN=1`,
/// the tests of all modules show that.
@Suite("Assumptions about memory")
struct AssumptionTests {
    private let isPlain = ProcessInfo.processInfo.environment["COREDATA_PLAIN"] == "1"

    @Test("Shortcuts are taken unless COREDATA_PLAIN is 1")
    func shortcuts() {
        #expect(MemoryAssumption.allowsShortcuts == !isPlain)
        #expect(ExistentialContents.isSupported == !isPlain)
        #expect(InlineString.isSupported == !isPlain)
        #expect((ClassDescriptor(Described.self) != nil) == !isPlain)
    }

    // There is no plain way beside these: Foundation offers no other.
    @Test("Metadata and descriptions of classes are read in any case")
    func classes() {
        #expect(ClassMetadata.isSupported)
        #expect(ClassAdoption.isSupported)
        #expect(ProgramClasses.all(named: "Described").map(\.module) == ["CoreDataRuntimeSupportTests"])
    }
}

final class Described {}
