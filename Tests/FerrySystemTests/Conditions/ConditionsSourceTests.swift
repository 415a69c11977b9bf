import Testing

@testable import FerrySystem

/// What the words of the services mean.
@Suite(.timeLimit(.minutes(1)))
struct ConditionsSourceTests {
    private typealias Report = ConditionsSource.Report

    @Test(
        arguments: [
            (0, "802-11-wireless", []),
            (1, "802-11-wireless", [.expensiveNetwork, .constrainedNetwork]),
            (2, "802-11-wireless", []),
            (3, "802-11-wireless", .expensiveNetwork),
            (4, "802-11-wireless", []),
            (5, "802-11-wireless", []),
            (3, "bluetooth", .expensiveNetwork),
            (0, "gsm", [.cellularNetwork, .expensiveNetwork]),
            (1, "gsm", .network),
            (2, "gsm", .cellularNetwork),
            (3, "cdma", [.cellularNetwork, .expensiveNetwork]),
            (4, "cdma", .cellularNetwork),
        ] as [(UInt32, String, Conditions)]
    )
    func `NetworkManager tells of money, of the user's wish and of cellular networks`(
        metered: UInt32,
        type: String,
        conditions: Conditions
    ) {
        let values: [String: BusValue] = .metered(metered, type)
        #expect(ConditionsSource.networkManager.report(values) == .conditions(conditions))
    }

    @Test func `without a primary connection there are no conditions of one`() {
        #expect(ConditionsSource.networkManager.report(.disconnected) == .disconnected)
    }

    @Test(arguments: ConditionsSource.allCases)
    func `what is missing or of the wrong type says nothing`(source: ConditionsSource) {
        #expect(source.report([:]) == .conditions([]))
        for value: BusValue in [
            .string("1"), .uint64(1), .int32(1), .uint32(7), .other, .objectPaths(["/"]),
        ] {
            let names = [
                "Metered", "PrimaryConnectionType", "OnBattery", "ActiveProfile", "metered",
                "power-saver-enabled",
            ]
            let values = Dictionary(uniqueKeysWithValues: names.map { ($0, value) })
            #expect(source.report(values) == .conditions([]), "\(value)")
        }
    }

    @Test(arguments: [ConditionsSource.powerProfiles, .formerPowerProfiles])
    func `the profile that saves power is a condition, the others are not`(
        source: ConditionsSource
    ) {
        let saving: Report = .conditions([.powerSaver, .constrainedNetwork])
        #expect(source.report(["ActiveProfile": .string("power-saver")]) == saving)
        #expect(source.report(["ActiveProfile": .string("balanced")]) == .conditions([]))
        #expect(source.report(["ActiveProfile": .string("performance")]) == .conditions([]))
    }

    @Test func `UPower tells of the battery, the portals of money and power`() {
        #expect(ConditionsSource.upower.report(.onBattery) == .conditions(.battery))
        #expect(ConditionsSource.upower.report(.onMains) == .conditions([]))
        let metered: [String: BusValue] = ["metered": .boolean(true)]
        #expect(ConditionsSource.networkPortal.report(metered) == .conditions(.expensiveNetwork))
        let saving: [String: BusValue] = ["power-saver-enabled": .boolean(true)]
        #expect(
            ConditionsSource.powerProfilePortal.report(saving)
                == .conditions([.powerSaver, .constrainedNetwork])
        )
    }

    @Test func `what a service tells is of its kinds`() {
        for source in ConditionsSource.allCases {
            for metered in 0...5 as ClosedRange<UInt32> {
                var values: [String: BusValue] = .metered(metered, "gsm")
                values["OnBattery"] = .boolean(true)
                values["ActiveProfile"] = .string("power-saver")
                values["metered"] = .boolean(true)
                values["power-saver-enabled"] = .boolean(true)
                guard case .conditions(let conditions) = source.report(values) else { continue }
                #expect(conditions.isSubset(of: source.kinds))
            }
        }
    }
}
