#if PostgreSQL
import CCoreDataPostgreSQL

/// The hosts that a connection is tried with, in libpq's order.
struct HostList {
    /// One of them, as libpq reports it.
    struct Host: Equatable {
        let name: String
        let port: String

        /// Reads the host that a connection is being made to.
        init(_ handle: OpaquePointer) {
            name = PQhost(handle).map { String(cString: $0) } ?? ""
            port = PQport(handle).map { String(cString: $0) } ?? ""
        }

        init(name: String, port: String) {
            self.name = name
            self.port = port
        }

        var place: String { "\(name), port \(port)" }
    }

    private let names: [String]
    private let addresses: [String]
    private let ports: [String]

    /// Reads the hosts of a connection, from its URL, the environment or a service file.
    init(_ handle: OpaquePointer) {
        var lists: [String: [String]] = [:]
        if let options = PQconninfo(handle) {
            var option = options
            while let keyword = option.pointee.keyword {
                if let value = option.pointee.val {
                    lists[String(cString: keyword)] = String(cString: value)
                        .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                }
                option += 1
            }
            PQconninfoFree(options)
        }
        self.init(names: lists["host"] ?? [], addresses: lists["hostaddr"] ?? [], ports: lists["port"] ?? [])
    }

    private init(names: [String], addresses: [String], ports: [String]) {
        self.names = names
        self.addresses = addresses
        self.ports = ports
    }

    private var count: Int { max(names.count, addresses.count, 1) }

    /// Returns the hosts that come after one; nil if there are none.
    func after(_ host: Host) -> HostList? {
        let indexes = 0..<count
        guard let index = indexes.first(where: { matches($0, host) }), index + 1 < count else { return nil }
        return HostList(
            names: Array(names.dropFirst(index + 1)), addresses: Array(addresses.dropFirst(index + 1)),
            ports: ports.count > 1 ? Array(ports.dropFirst(index + 1)) : ports)
    }

    private func matches(_ index: Int, _ host: Host) -> Bool {
        let known = [names, addresses].compactMap { $0.indices.contains(index) ? $0[index] : nil }
        let port = ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : host.port
        return known.contains(host.name) && (port == host.port || port.isEmpty)
    }

    /// The parameters that replace those of the URL.
    var parameters: [(String, String)] {
        [("host", names), ("hostaddr", addresses), ("port", ports)].filter { !$0.1.isEmpty }
            .map { ($0.0, $0.1.joined(separator: ",")) }
    }

    /// Returns the time until which a host must have answered: its share, or what the settings give to each host.
    func limit(_ settings: ConnectionSettings, until deadline: Deadline) -> Deadline {
        guard count > 1 else { return deadline }
        let share = settings.hostTimeout ?? settings.connectTimeout / Double(count)
        return .earlier(deadline, Deadline(after: share))
    }
}
#endif
