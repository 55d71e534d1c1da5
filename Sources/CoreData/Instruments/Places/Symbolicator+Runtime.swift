// For debug builds only: release builds would load another library. A module named `Runtime` in the program hides the
// toolchain's; such a program is built with `-Xswiftc -DCOREDATA_WITHOUT_PLACES`.
#if DEBUG && canImport(Runtime) && canImport(Glibc) && !COREDATA_WITHOUT_PLACES
import CoreDataRuntimeSupport
import Foundation
internal import Runtime

extension Symbolicator {
    static var isAvailable: Bool { true }

    /// Reads symbols and lines from the images of the process.
    ///
    /// On a single thread, because `Runtime` caches the parsed images per thread.
    ///
    /// - Parameter lines: Whether to read lines and inlined calls as well as names.
    static func look(up addresses: [UInt], lines: Bool) -> [UInt: [CodeFrame]] {
        SymbolThread.shared.run {
            var found: [UInt: [CodeFrame]] = [:]
            for (images, addresses) in loadedImages.withLock({ $0.grouped(addresses) }) {
                guard
                    let backtrace = EncodedBacktrace(returnAddresses: addresses).backtrace?.symbolicated(
                        with: images, options: lines ? .default : [.useSymbolCache])
                else { continue }
                add(backtrace.frames, systemImages: SystemImages(images), to: &found)
            }
            return found
        }
    }

    private static let loadedImages = Locked(LoadedImages())

    private static func add(
        _ frames: [SymbolicatedBacktrace.Frame], systemImages: SystemImages, to found: inout [UInt: [CodeFrame]]
    ) {
        for frame in frames {
            guard let address = UInt(frame.captured.originalProgramCounter), address != 0 else { continue }
            found[address, default: []].append(
                CodeFrame(
                    symbol: frame.symbol?.rawName ?? "", function: frame.symbol?.name ?? "",
                    file: frame.symbol?.sourceLocation?.path, line: frame.symbol?.sourceLocation?.line ?? 0,
                    isSystem: frame.symbol.map { systemImages.contains($0.imageIndex) } ?? true))
        }
    }
}

/// The addresses of the process's images.
///
/// Read again for addresses in no known image, because their libraries were loaded later.
private struct LoadedImages {
    private var maps: [ImageMap] = []

    mutating func grouped(_ addresses: [UInt]) -> [(ImageMap, [UInt])] {
        if maps.isEmpty, let newest = Self.newest() { maps.append(newest) }
        var groups = maps.map { _ in [UInt]() }
        var others: [UInt] = []
        for address in addresses {
            if let map = maps.firstIndex(where: { Self.contains(address, in: $0) }) {
                groups[map].append(address)
            } else {
                others.append(address)
            }
        }
        if !others.isEmpty, let newest = Self.newest() {
            // Addresses outside of all images, such as code generated at run time, are no reason to keep it.
            let known = others.filter { Self.contains($0, in: newest) }
            if !known.isEmpty {
                maps.append(newest)
                groups.append(known)
            }
        }
        return zip(maps, groups).filter { !$0.1.isEmpty }
    }

    private static func newest() -> ImageMap? { EncodedImages(images: LoadedImage.all()).imageMap }

    /// Returns true if an image contains the call before a return address, hence the byte before it.
    private static func contains(_ address: UInt, in images: ImageMap) -> Bool {
        Backtrace.Address(address &- 1).map { images.indexOfImage(at: $0) != nil } ?? false
    }
}

/// The images of the system and the toolchain, for which lines are available if debug information is installed.
private struct SystemImages {
    private let indexes: Set<Int>

    init(_ images: ImageMap) {
        let paths = images.map { $0.path ?? "" }
        let toolchain = paths.first { $0.hasSuffix("/libswiftCore.so") }.map { $0.dropLast("libswiftCore.so".count) }
        indexes = Set(
            paths.indices.filter { index in
                let path = paths[index]
                return path.hasPrefix("/lib") || path.hasPrefix("/usr/lib")
                    || toolchain.map { path.hasPrefix($0) && $0 != "/" } ?? false
            })
    }

    func contains(_ index: Int) -> Bool { indexes.contains(index) }
}
#endif
